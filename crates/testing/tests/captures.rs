//! The wire messages and the oracle on real captures: always our fixtures, and the corpus if it is
//! present.

#![expect(clippy::unwrap_used, reason = "a helper of tests may panic")]

use stepscope_testing::corpus::{self, Capture};
use stepscope_testing::oracle::{self, Device, Step};
use stepscope_testing::space::XSpace;

fn spaces(capture: &Capture) -> Vec<XSpace> {
    capture
        .hosts
        .iter()
        .map(|host| corpus::read_space(host).unwrap())
        .collect()
}

fn fixture(name: &str) -> Vec<XSpace> {
    spaces(&corpus::fixture(name).unwrap())
}

fn host_steps(space: &XSpace) -> Vec<Step> {
    oracle::steps(space)
        .into_iter()
        .filter(|step| step.device.is_none())
        .collect()
}

fn mean_step_ms(spaces: &[XSpace]) -> f64 {
    let steps: Vec<Step> = spaces.iter().flat_map(host_steps).collect();
    let total_ps: i128 = steps.iter().map(|step| step.duration_ps).sum();
    total_ps as f64 / steps.len() as f64 / 1e9
}

#[test]
fn every_capture_survives_a_round_trip() {
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        for host in &capture.hosts {
            let space = corpus::read_space(host).unwrap();
            let again = XSpace::from_bytes(&space.to_bytes()).unwrap();
            assert_eq!(space, again, "{}", host.display());
            assert_eq!(
                oracle::event_total(&space),
                oracle::events(&space).len() as u64
            );
        }
    }
}

#[test]
fn fixtures_are_there_and_ours() {
    let fixtures = corpus::fixtures();
    let names: Vec<&str> = fixtures.iter().map(|fixture| &fixture.name[..]).collect();
    #[rustfmt::skip] // one line each, so that two additions never meet
    let expected = [
        ("compile-cpu", 1),
        ("demo-gpt-cpu", 1),
        ("hosts4-cpu", 4),
        ("mlp-cpu", 1),
        ("scan8-cpu", 1),
        ("serving-cpu", 1),
    ];
    assert_eq!(names, expected.map(|(name, _)| name));
    assert!(fixtures.iter().all(|fixture| fixture.own));
    let hosts: Vec<usize> = fixtures.iter().map(|fixture| fixture.hosts.len()).collect();
    assert_eq!(hosts, expected.map(|(_, hosts)| hosts));
}

#[test]
fn fixtures_hold_no_path_of_the_machine_that_made_them() {
    for host in corpus::fixtures().iter().flat_map(|fixture| &fixture.hosts) {
        let bytes = corpus::read_bytes(host).unwrap();
        for path in [&b"/home/"[..], b"/root/", b"/tmp/"] {
            let found = bytes.windows(path.len()).any(|window| window == path);
            assert!(
                !found,
                "{} names {}",
                host.display(),
                String::from_utf8_lossy(path)
            );
        }
    }
}

#[test]
fn the_index_says_which_captures_are_ours() {
    let captures = corpus::captures();
    if captures.is_empty() {
        return;
    }
    for capture in captures {
        assert_eq!(
            capture.own,
            capture.name.starts_with("cpu-"),
            "{}",
            capture.name
        );
    }
}

#[test]
fn the_demo_has_one_slow_step_and_its_cause() {
    let [space] = &fixture("demo-gpt-cpu")[..] else {
        panic!("one host")
    };
    let steps = host_steps(space);
    let numbers: Vec<_> = steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, (0..6).map(Some).collect::<Vec<_>>());
    let slowest = steps.iter().max_by_key(|step| step.duration_ps).unwrap();
    assert_eq!(
        (slowest.number, slowest.duration_ps / 1_000_000_000),
        (Some(4), 168)
    );
    let others = steps.iter().filter(|step| step.number != Some(4));
    assert!(
        others
            .into_iter()
            .all(|step| step.duration_ps < 63_000_000_000)
    );
    let mut loading = oracle::events(space);
    loading.retain(|event| event.name == "data_loading" && event.duration_ps > 100_000_000_000);
    assert_eq!(loading.len(), 1);
    assert!(loading[0].start_ps > slowest.start_ps);
}

#[test]
fn the_demo_runs_collectives_on_four_devices() {
    let [space] = &fixture("demo-gpt-cpu")[..] else {
        panic!("one host")
    };
    let devices = oracle::device_slices(space);
    assert!(devices.keys().copied().eq((0..4).map(Device::Cpu)));
    for device in devices.into_keys() {
        let ops = oracle::ops(space, device);
        let collectives = ops
            .iter()
            .filter(|(key, _)| key.name.contains("all-reduce"));
        assert!(collectives.count() > 0, "{device} has no all-reduce");
        // Every op ran once per step or a whole multiple of it.
        assert!(ops.values().all(|op| op.occurrences % 6 == 0), "{device}");
        let (first_ps, last_ps) = oracle::span_ps(space, device).unwrap();
        let busy_ps = oracle::busy_ps(space, device);
        println!(
            "{device}: {} ops, busy {busy_ps} of {} ps",
            ops.len(),
            last_ps - first_ps
        );
        assert!(0 < busy_ps && busy_ps < last_ps - first_ps);
    }
}

#[test]
fn mean_step_of_the_mlp() {
    let spaces = fixture("mlp-cpu");
    assert_eq!(host_steps(&spaces[0]).len(), 20);
    assert!(
        (mean_step_ms(&spaces) - 7.815).abs() < 0.001,
        "{}",
        mean_step_ms(&spaces)
    );
}

#[test]
fn mean_step_of_four_hosts() {
    let spaces = fixture("hosts4-cpu");
    assert!(spaces.iter().all(|space| host_steps(space).len() == 10));
    assert!(
        (mean_step_ms(&spaces) - 132.5).abs() < 0.1,
        "{}",
        mean_step_ms(&spaces)
    );
}

/// Self time is total time divided up: over all slices of a device it adds up to at most the
/// totals, and over slices that do not overlap partially to the busy time of each line.
#[test]
fn self_times_add_up_to_the_busy_time_of_each_line() {
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        for space in spaces(&capture) {
            for (device, slices) in oracle::device_slices(&space) {
                for line in oracle::by_line(slices) {
                    let overlaps = line.windows(2).any(|pair| {
                        pair[1].start_ps < pair[0].end_ps() && pair[1].end_ps() > pair[0].end_ps()
                    });
                    if overlaps {
                        println!("{} {device}: {} overlaps", capture.name, line[0].line_name);
                        continue;
                    }
                    let self_ps: i128 = oracle::self_times_ps(&line).iter().sum();
                    let (mut busy_ps, mut end_ps) = (0, i128::MIN);
                    for slice in &line {
                        busy_ps += (slice.end_ps() - end_ps.max(slice.start_ps)).max(0);
                        end_ps = end_ps.max(slice.end_ps());
                    }
                    assert_eq!(self_ps, busy_ps, "{} {device}", capture.name);
                }
            }
        }
    }
}
