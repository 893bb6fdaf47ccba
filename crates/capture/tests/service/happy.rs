//! Captures that succeed: files, requests, common start, size, busy hosts, series.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use stepscope_capture::{
    Cancel, NoProgress, Phase, Repetition, Status, TracerLevels, capture_repeatedly,
};
use stepscope_testing::profiler_server::{Behavior, ProfilerServer};

use crate::support::{PROFILE, logdir, names, request, run, server};

#[test]
fn a_profile_lands_in_the_layout_that_every_tool_reads() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let mut wanted = request(&[&server.address()], logdir.path());
    wanted.name = Some("slow step".to_owned());
    let (outcome, phases) = run(&wanted);
    assert_eq!(outcome.status(), Status::Complete);
    assert!(
        outcome.session_id.ends_with("_slow_step"),
        "{}",
        outcome.session_id
    );
    let folder = logdir
        .path()
        .join("plugins/profile")
        .join(&outcome.session_id);
    assert_eq!(outcome.folder, folder);
    let stem = server.address().replace(':', "_");
    assert_eq!(
        names(&outcome),
        [
            format!("{stem}.stepscope.json"),
            format!("{stem}.xplane.pb")
        ]
    );
    assert_eq!(
        std::fs::read(&outcome.files().next().unwrap().path).unwrap(),
        PROFILE
    );
    assert!(
        phases.contains(&(0, Phase::Recording)) && phases.ends_with(&[(0, Phase::Done)]),
        "{phases:?}"
    );
    let manifest = std::fs::read(folder.join(format!("{stem}.stepscope.json"))).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["stepscope_manifest"], 1);
    assert_eq!(manifest["session_id"], outcome.session_id.as_str());
    assert_eq!(manifest["options"]["duration_seconds"], 0.1);
    assert_eq!(manifest["success"], true);
}

#[test]
fn the_request_says_what_the_service_wants_to_hear() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let mut wanted = request(&[&server.address()], logdir.path());
    wanted.tracers = TracerLevels {
        host: 3,
        device: 1,
        python: 1,
    };
    for option in [
        "tpu_trace_mode=TRACE_COMPUTE",
        "max_trace_buffers=7",
        "tpu_perf_counters=true",
    ] {
        wanted.add_option(option).unwrap();
    }
    let (outcome, _) = run(&wanted);
    let asked = server.asked().profiles.remove(0);
    let options = asked.opts.unwrap();
    assert!(asked.emit_xspace);
    assert_eq!(asked.session_id, outcome.session_id);
    assert_eq!(asked.host_name, server.address().replace(':', "_"));
    assert!(
        asked.repository_root.ends_with("plugins/profile"),
        "{}",
        asked.repository_root
    );
    // Without version 1 the levels are thrown away, and the window is that of the options.
    assert_eq!((options.version, options.duration_ms), (1, 100));
    let levels = (
        options.host_tracer_level,
        options.device_tracer_level,
        options.python_tracer_level,
    );
    assert_eq!(levels, (3, 1, 1));
    assert!(options.enable_hlo_proto);
    assert_eq!(options.start_timestamp_ns, 0, "one host begins at once");
    let advanced = options.advanced_configuration;
    assert_eq!(
        advanced["tpu_trace_mode"].string_value.as_deref(),
        Some("TRACE_COMPUTE")
    );
    assert_eq!(advanced["max_trace_buffers"].int64_value, Some(7));
    assert_eq!(advanced["tpu_perf_counters"].bool_value, Some(true));
}

#[test]
fn several_hosts_start_together_and_share_a_session() {
    let servers = [server(Behavior::default()), server(Behavior::default())];
    let logdir = logdir();
    let addresses = servers.each_ref().map(ProfilerServer::address);
    let mut wanted = request(&[&addresses.join(",")], logdir.path());
    wanted.duration = Duration::from_secs(3);
    let begun = Instant::now();
    let (outcome, _) = run(&wanted);
    let took = begun.elapsed();
    assert_eq!(outcome.status(), Status::Complete);
    assert_eq!(names(&outcome).len(), 4);
    let starts = servers.each_ref().map(|server| {
        let asked = server.asked().profiles.remove(0);
        assert_eq!(asked.session_id, outcome.session_id);
        asked.opts.unwrap().start_timestamp_ns
    });
    assert_eq!(starts[0], starts[1]);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos();
    assert!(u128::from(starts[0]) < now && starts[0] > 0);
    // Side by side: one window after the other would take longer.
    assert!(took < 2 * wanted.duration, "{took:?}");
}

#[test]
fn a_reply_past_the_limit_of_other_clients_comes_whole() {
    let xspace: Vec<u8> = (0..6_000_000u32).map(|index| (index % 251) as u8).collect();
    let behavior = Behavior {
        xspace: xspace.clone(),
        ..Behavior::default()
    };
    let (server, logdir) = (server(behavior), logdir());
    let (outcome, _) = run(&request(&[&server.address()], logdir.path()));
    let file = outcome.files().next().unwrap();
    assert_eq!(file.size_bytes, 6_000_000);
    assert!(std::fs::read(&file.path).unwrap() == xspace);
}

#[test]
fn a_busy_host_is_asked_again() {
    for keeps_code in [false, true] {
        let behavior = Behavior {
            busy_requests: 3,
            keeps_code,
            ..Behavior::default()
        };
        let (server, logdir) = (server(behavior), logdir());
        let (outcome, phases) = run(&request(&[&server.address()], logdir.path()));
        assert_eq!(outcome.files().next().unwrap().attempts, 4);
        assert!(phases.contains(&(0, Phase::Busy)));
    }
}

#[test]
fn hosts_are_reached_by_ipv6_and_with_a_scheme() {
    let any = "[::1]:0".parse().unwrap();
    let behavior = Behavior {
        xspace: PROFILE.to_vec(),
        ..Behavior::default()
    };
    let Ok(server) = ProfilerServer::start_at(any, behavior) else {
        eprintln!("this machine has no IPv6: nothing is tried");
        return;
    };
    let logdir = logdir();
    let address = format!("grpc://{}", server.address());
    let (outcome, _) = run(&request(&[&address], logdir.path()));
    assert_eq!(outcome.status(), Status::Complete);
    assert!(names(&outcome).iter().all(|name| name.starts_with("__1_")));
}

#[test]
fn a_series_makes_a_session_of_each_capture() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let wanted = request(&[&server.address()], logdir.path());
    let repetition = Repetition {
        every: Duration::from_millis(300),
        times: Some(3),
    };
    let mut ids = Vec::new();
    let begun = Instant::now();
    let each = |outcome: stepscope_capture::Outcome| ids.push(outcome.session_id);
    let made = capture_repeatedly(&wanted, repetition, &NoProgress, &Cancel::new(), each).unwrap();
    assert_eq!(made, 3);
    ids.dedup();
    assert_eq!(ids.len(), 3);
    assert!(
        begun.elapsed() >= Duration::from_millis(700),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_series_ends_between_two_captures_when_asked() {
    let (server, logdir) = (server(Behavior::default()), logdir());
    let wanted = request(&[&server.address()], logdir.path());
    let repetition = Repetition {
        every: Duration::from_mins(1),
        times: None,
    };
    let cancel = Cancel::new();
    let ender = cancel.clone();
    let each = |_| ender.finish();
    let begun = Instant::now();
    let made = capture_repeatedly(&wanted, repetition, &NoProgress, &cancel, each).unwrap();
    assert_eq!(made, 1);
    assert!(begun.elapsed() < repetition.every);
}
