//! Captures that do not go as planned: ended early, given up, partial, killed, hanging, full.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use stepscope_capture::{
    Cancel, CaptureError, HostFailure, Memory, Request, Reservation, Status, capture,
};
use stepscope_testing::profiler_server::Behavior;

use crate::support::{
    PROFILE, Seen, dead_address, failure, logdir, names, request, run, server, until_recording,
};

#[test]
fn ending_early_keeps_what_came() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let mut wanted = request(&[&server.address()], logdir.path());
    wanted.duration = Duration::from_mins(1);
    let cancel = Cancel::new();
    let begun = Instant::now();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            until_recording(&server);
            cancel.finish();
        });
        capture(&wanted, &Seen::default(), &cancel).unwrap()
    });
    assert!(begun.elapsed() < wanted.duration);
    assert!(outcome.was_ended_early);
    assert_eq!(outcome.status(), Status::Complete);
    assert_eq!(server.asked().terminated, [outcome.session_id]);
}

#[test]
fn giving_up_leaves_no_folder_and_frees_the_host() {
    let behavior = Behavior {
        hangs: true,
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let wanted = request(&[&server.address()], logdir.path());
    let cancel = Cancel::new();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            until_recording(&server);
            cancel.abort();
        });
        capture(&wanted, &Seen::default(), &cancel).unwrap()
    });
    assert_eq!(failure(&outcome, 0), &HostFailure::GivenUp);
    assert!(!outcome.folder.exists());
    assert!(server.asked().terminated.contains(&outcome.session_id));
}

#[test]
fn a_dead_host_is_named_and_the_others_are_kept() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let dead = dead_address();
    let (outcome, _) = run(&request(&[&dead, &server.address()], logdir.path()));
    assert_eq!(outcome.status(), Status::Partial);
    assert_eq!(failure(&outcome, 0), &HostFailure::Refused);
    assert!(failure(&outcome, 0).hint().contains("start_server"));
    assert_eq!(outcome.failed().next().unwrap().address.to_string(), dead);
    let manifest = outcome.folder.join(names(&outcome).remove(0));
    assert!(std::fs::read_to_string(manifest).unwrap().contains(&dead));
}

#[test]
fn nothing_is_left_where_no_host_answers() {
    let logdir = logdir();
    let (outcome, _) = run(&request(&[&dead_address()], logdir.path()));
    assert_eq!(outcome.status(), Status::Nothing);
    assert!(!outcome.folder.exists());
}

#[test]
fn a_host_killed_while_it_records_is_told_apart() {
    let (mut server, logdir) = (server(Behavior::default()), logdir());
    let mut wanted = request(&[&server.address()], logdir.path());
    wanted.duration = Duration::from_mins(1);
    let thread = std::thread::spawn(move || {
        until_recording(&server);
        server.kill();
    });
    let begun = Instant::now();
    let (outcome, _) = run(&wanted);
    thread.join().unwrap();
    assert_eq!(failure(&outcome, 0), &HostFailure::Ended);
    assert!(begun.elapsed() < wanted.duration);
}

#[test]
fn a_host_that_hangs_does_not_hold_the_others_for_ever() {
    let hanging = server(Behavior {
        hangs: true,
        ..Behavior::default()
    });
    let (fine, logdir) = (server(Behavior::default()), logdir());
    let mut wanted = request(&[&hanging.address(), &fine.address()], logdir.path());
    wanted.reply_timeout = Duration::from_secs(1);
    let (outcome, _) = run(&wanted);
    assert!(matches!(failure(&outcome, 0), HostFailure::NoAnswer(_)));
    assert_eq!(outcome.status(), Status::Partial);
    assert!(hanging.asked().terminated.contains(&outcome.session_id));
}

#[test]
fn a_host_that_stays_busy_is_given_up_with_its_attempts() {
    let behavior = Behavior {
        busy_requests: u32::MAX,
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let mut wanted = request(&[&server.address()], logdir.path());
    wanted.busy_wait = Duration::from_secs(1);
    let (outcome, _) = run(&wanted);
    let HostFailure::Busy { attempts, .. } = failure(&outcome, 0) else {
        panic!("{:?}", outcome.hosts);
    };
    assert!(*attempts > 3, "{attempts}");
    assert!(
        failure(&outcome, 0)
            .to_string()
            .contains("another profiling session")
    );
}

#[test]
fn an_empty_trace_is_kept_and_called_empty() {
    let behavior = Behavior {
        is_empty: true,
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let (outcome, _) = run(&request(&[&server.address()], logdir.path()));
    let file = outcome.files().next().unwrap();
    assert!(file.is_empty && file.path.exists());
    assert_eq!(outcome.status(), Status::Nothing);
}

#[test]
fn an_old_host_that_shares_the_disk_has_put_the_file_in_its_place() {
    // The disk of the other machine is this one.
    let behavior = Behavior {
        writes_below: Some("/".into()),
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let (outcome, _) = run(&request(&[&server.address()], logdir.path()));
    let file = outcome.files().next().unwrap();
    assert!(file.was_written_by_host);
    assert_eq!(std::fs::read(&file.path).unwrap(), PROFILE);
}

#[test]
fn an_old_host_elsewhere_is_told_with_the_place_of_its_file() {
    let elsewhere = logdir();
    let behavior = Behavior {
        writes_below: Some(elsewhere.path().to_path_buf()),
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let (outcome, _) = run(&request(&[&server.address()], logdir.path()));
    assert_eq!(
        failure(&outcome, 0),
        &HostFailure::KeptByHost(outcome.folder.clone())
    );
    assert!(failure(&outcome, 0).hint().contains("--logdir"));
}

#[test]
fn a_log_directory_that_cannot_be_made_is_told_before_anything_is_recorded() {
    let (server, folder) = (server(Behavior::default()), logdir());
    let file = folder.path().join("taken");
    std::fs::write(&file, "a file").unwrap();
    let wanted = request(&[&server.address()], &file);
    let error = capture(&wanted, &Seen::default(), &Cancel::new()).unwrap_err();
    assert!(matches!(error, CaptureError::Folder { .. }), "{error}");
    assert!(server.asked().calls.is_empty());
}

/// A budget of some bytes, and the most that was taken of it.
struct Budget {
    left: u64,
    most: Arc<AtomicU64>,
}

impl Reservation for Budget {
    fn grow_to(&mut self, bytes: u64) -> Result<(), String> {
        if bytes > self.left {
            return Err("none is left".to_owned());
        }
        self.most.fetch_max(bytes, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn a_profile_that_memory_does_not_hold_is_refused_as_it_comes() {
    let behavior = Behavior {
        xspace: PROFILE.repeat(4 << 20),
        ..Behavior::default()
    };
    let server = server(behavior);
    let logdir = logdir();
    for (left, fits) in [(8 << 20, false), (64 << 20, true)] {
        let most = Arc::new(AtomicU64::new(0));
        let taken = Arc::clone(&most);
        let memory = Memory::of(move || {
            Box::new(Budget {
                left,
                most: Arc::clone(&taken),
            })
        });
        let request = Request {
            memory,
            ..request(&[&server.address()], logdir.path())
        };
        let (outcome, _) = run(&request);
        let most = most.load(Ordering::SeqCst);
        if fits {
            assert_eq!(outcome.files().count(), 1);
            assert!(most >= 32 << 20, "{most}: as it comes, and as a message");
        } else {
            let failure = failure(&outcome, 0);
            assert!(matches!(failure, HostFailure::TooLarge(_)), "{failure}");
            assert!(failure.to_string().contains("none is left"), "{failure}");
            assert!(most <= left);
        }
    }
}
