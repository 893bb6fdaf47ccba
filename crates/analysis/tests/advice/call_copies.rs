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
