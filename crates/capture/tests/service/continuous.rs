//! Continuous profiling: start, snapshots, stop, and hosts that do not have it.

use std::future::Future;

use stepscope_capture::{Cancel, Continuous, HostFailure, NoProgress, Status};
use stepscope_testing::profiler_server::{Behavior, Continuous as Has};

use crate::support::{dead_address, logdir, names, request, server};

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

fn behavior(continuous: Has) -> Behavior {
    Behavior {
        continuous,
        ..Behavior::default()
    }
}

#[test]
fn each_snapshot_is_a_session_under_either_name_of_the_calls() {
    for (has, first) in [(Has::Today, 1), (Has::Older, 2)] {
        let (server, logdir) = (server(behavior(has)), logdir());
        let wanted = request(&[&server.address()], logdir.path());
        let cancel = Cancel::new();
        block_on(async {
            let mut running = Continuous::start(&wanted, &NoProgress, &cancel)
                .await
                .unwrap();
            assert_eq!(running.running(), 1);
            let one = running.snapshot(&NoProgress, &cancel).await.unwrap();
            let two = running.snapshot(&NoProgress, &cancel).await.unwrap();
            assert_ne!(one.session_id, two.session_id);
            for outcome in [one, two] {
                assert_eq!(outcome.status(), Status::Complete);
                assert_eq!(names(&outcome).len(), 2);
            }
            assert!(running.stop().await.is_empty());
        });
        let asked = server.asked();
        let window = asked.profiles[0].opts.clone().unwrap().duration_ms;
        assert_eq!(window, 0, "it records until it is stopped");
        let starts = asked
            .calls
            .iter()
            .filter(|call| call.contains("ContinuousProfiling"));
        assert_eq!(starts.count(), first + 1, "{:?}", asked.calls);
    }
}

#[test]
fn hosts_without_it_and_hosts_in_use_are_told() {
    let (server, logdir) = (server(behavior(Has::Missing)), logdir());
    let dead = dead_address();
    let wanted = request(&[&server.address(), &dead], logdir.path());
    block_on(async {
        let running = Continuous::start(&wanted, &NoProgress, &Cancel::new())
            .await
            .unwrap();
        assert_eq!(running.running(), 0);
        let failed: Vec<_> = running
            .failed()
            .map(|host| host.result.unwrap_err())
            .collect();
        assert_eq!(failed, [HostFailure::NoContinuous, HostFailure::Refused]);
    });
    let profiles = logdir.path().join("plugins/profile");
    assert_eq!(std::fs::read_dir(profiles).unwrap().count(), 0);
}

#[test]
fn a_second_start_is_refused_and_the_first_goes_on() {
    let (server, logdir) = (server(behavior(Has::Today)), logdir());
    let wanted = request(&[&server.address()], logdir.path());
    let cancel = Cancel::new();
    block_on(async {
        let mut first = Continuous::start(&wanted, &NoProgress, &cancel)
            .await
            .unwrap();
        let second = Continuous::start(&wanted, &NoProgress, &cancel)
            .await
            .unwrap();
        let failed: Vec<_> = second
            .failed()
            .map(|host| host.result.unwrap_err())
            .collect();
        assert_eq!(failed, [HostFailure::AlreadyContinuous]);
        let taken = first.snapshot(&NoProgress, &cancel).await.unwrap();
        assert_eq!(taken.status(), Status::Complete);
        assert!(first.stop().await.is_empty());
    });
}
