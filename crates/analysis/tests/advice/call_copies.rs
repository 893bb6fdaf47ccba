//! Copies to the device that are made by calls, and are no batches.

use super::drawings::{GAP, cpu, gpu};
use super::{advice, finding};

/// A call that copies a number, which the device does in a microsecond.
fn called(bytes: u64, copied: &str) -> String {
    let lines = format!(
        "stream 8 Memcpy\nrepeat 6 every 1000us\n {copied}us MemcpyH2D \
         [memcpy_details=\"size:{bytes} dest:0 async:1\"]\nend"
    );
    let step = "0..999us train #step_num=$i,_r=1#";
    let calls = format!("{step}\n501..998us PjitFunction(add)\n502..990us DevicePut");
    let text = gpu("2..250us dot.1\n250..500us dot.2", &lines, "bf16[64,64]");
    text.replace(step, &calls)
        + "
        program 6 jit_add
          p.0 = f32[64,64] parameter(0)
          p.1 = f32[] parameter(1)
          b.0 = f32[64,64] broadcast(p.1)
          ROOT add.1 = f32[64,64] add(p.0, b.0)"
}

#[test]
fn numbers_are_no_batches() {
    let found = finding(&advice(&[called(4, "985..986")]), "input_wait");
    assert_eq!(found["title"], "Numbers are copied to the device");
    let why = found["why"].as_str().expect("a text");
    assert!(why.starts_with("About 1 time per step"), "{why}");
    assert!(!found["code"].to_string().contains("loader"));
    // What takes the device long is a batch.
    let found = finding(&advice(&[called(4_000_000, "700..980")]), "input_wait");
    assert_eq!(found["title"], "Waiting for input");
}

#[test]
fn arrays_of_other_devices_are_no_batches() {
    let placed = |frame: &str| {
        let python =
            format!("701..998us PjitFunction(f)\n702..990us shard_args\n703..989us {frame}");
        finding(&advice(&[cpu(GAP, &python, "")]), "input_wait")["title"].clone()
    };
    let array = placed("$array.py:1132 _array_shard_arg");
    assert_eq!(array, "Arguments are moved to other devices");
    let batch = placed("$pxla.py:145 _shard_np_array");
    assert_eq!(batch, "Waiting for input");
}

/// The runtime moves an argument on a thread of its pool, while the loop waits within the call.
#[test]
fn copies_to_other_devices_on_pool_threads_are_the_same_cause() {
    let of = |name: &str| {
        let python = "601..998us PjitFunction(f)\n602..640us shard_args\n\
                      603..639us $array.py:1132 _array_shard_arg\n641..990us PjRtLoadedExecutable::Execute";
        let pool = format!("thread pool\nrepeat 6 every 1000us\n 645..985us {name}\nend\n");
        let ops = "1..300us dot.1\n300..500us dot.2\n500..600us add.1";
        let text = cpu(ops, python, "").replace("thread tf_XLA", &format!("{pool}thread tf_XLA"));
        advice(&[text])
    };
    let report = of("PjRtBuffer::CopyToDeviceHelper::async_copy_to_device");
    let found = finding(&report, "input_wait");
    assert_eq!(found["title"], "Arguments are moved to other devices");
    let gain = found["gain_ps_per_step"].as_f64().expect("a gain");
    assert!(gain > 350e6, "{gain}");
    let told = report["findings"].to_string();
    assert!(!told.contains("Copies delay the devices"), "{told}");
    // Of copies without a direction, nothing says that they are results.
    let found = finding(&of("hipMemcpyAsync"), "host_bound");
    let fix = found["fix"].as_str().expect("a fix");
    assert!(fix.contains("which of the two"), "{fix}");
}
