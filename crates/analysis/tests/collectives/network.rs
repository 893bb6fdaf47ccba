//! Exchanges between slices, and bytes on the network.

use serde_json::{Value, json};

use super::{close, micros, rows};
use crate::support::{ask, drawn};

/// Who takes part, as a TPU records it: one group of two slices.
const TWO_SLICES: &str = "dcn_collective_info=hex:080212080a0208000a020801";

#[test]
fn exchanges_between_slices_have_names_and_bytes_on_the_network() {
    let text = format!(
        "
        host vm
        device tpu:0 v6e
        line XLA Ops
        repeat 2 every 100us
          0..2us   send.1 {{program_id=5 symbol_id=1 hlo_category=\"host send\" {TWO_SLICES}}}
          2..3us   recv.2 {{program_id=5 symbol_id=2 hlo_category=\"host recv\"}}
          3..40us  fusion.3 {{program_id=5 symbol_id=3 hlo_category=\"loop fusion\"}}
          40..41us send-done.1 {{program_id=5 symbol_id=4 hlo_category=\"host send-done\"}}
          50..60us recv-done.2 {{program_id=5 symbol_id=5 hlo_category=\"host recv-done\"}}
        end
        program 5 jit_step
          p.0 = f32[1000] parameter(0)
          token.1 = token[] after-all()
          send.1 = (f32[1000], u32[], token[]) send(p.0, token.1) channel_id=7 is_host_transfer=true frontend_attributes={{_xla_host_transfer_rendezvous=\"grads.0\", _xla_megascale_transfer_type=\"ALL_REDUCE\"}}
          recv.2 = (f32[1000], u32[], token[]) recv(token.1) channel_id=8 is_host_transfer=true frontend_attributes={{_xla_host_transfer_rendezvous=\"grads.0\", _xla_megascale_transfer_type=\"ALL_REDUCE\"}}
          fusion.3 = f32[1000] add(p.0, p.0)
          send-done.1 = token[] send-done(send.1) channel_id=7 is_host_transfer=true
          ROOT recv-done.2 = (f32[1000], token[]) recv-done(recv.2) channel_id=8 is_host_transfer=true
        "
    );
    let session = drawn(&[&text]);
    let found = rows(&ask(&session, "collectives", &[]), "rendezvous");
    assert_eq!(found.len(), 1, "both channels are one rendezvous");
    let row = &found[0];
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (text("rendezvous"), text("transfer_type")),
        ("grads.0".into(), "ALL_REDUCE".into())
    );
    assert_eq!(
        (text("send_op"), text("recv_op")),
        ("send.1".into(), "recv.2".into())
    );
    assert_eq!(
        (&row["occurrences"], &row["participants"]),
        (&json!(2), &json!(2))
    );
    // 2 (2 − 1) ÷ 2 of what is received.
    assert_eq!(row["bytes"], json!(4000));
    assert_eq!(micros(row, "stall_ps"), 2.0 + 1.0 + 1.0 + 10.0);
    assert_eq!(micros(row, "total_stall_ps"), 28.0);
    assert_eq!(micros(row, "observed_ps"), 60.0);
    // From 0 to 50, of which send, recv and send-done took 4.
    assert_eq!(micros(row, "slack_ps"), 46.0);
    assert!(close(&row["required_bandwidth"], 4000.0 / 46e-6), "{row}");
}

#[test]
fn messages_between_slices_are_counted_by_their_sender() {
    let session = drawn(&["
        host vm
        thread megascale
          0..1us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=1,dcn_destination_slice_id=0,duration_us=250,payload_size_bytes=4096#
          2..3us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=1,dcn_destination_slice_id=0,duration_us=450,payload_size_bytes=4096#
          4..5us   MegaScale:recv #dcn_label=grads.0,dcn_source_slice_id=2,dcn_destination_slice_id=0,duration_us=90,payload_size_bytes=4096#
          6..7us   MegaScale:enqueue
        device tpu:0 v6e
        line XLA Ops
          0..2us   fusion.1 {program_id=5 hlo_category=\"loop fusion\"}
    "]);
    let found = rows(&ask(&session, "collectives", &[]), "peers");
    let facts: Vec<_> = found
        .iter()
        .map(|row| {
            let number = |key: &str| row[key].as_i64().expect(key);
            let times = (number("p50_ps") / 1_000_000, number("p99_ps") / 1_000_000);
            (
                number("source_slice"),
                number("message_count"),
                number("bytes"),
                times,
            )
        })
        .collect();
    assert_eq!(facts, [(1, 2, 8192, (250, 450)), (2, 1, 4096, (90, 90))]);
    assert_eq!(found[0]["start_ps"], json!(2_000_000));
    assert_eq!(
        found[0]["recv_done_p99_ps"],
        Value::Null,
        "no op of that name"
    );
}

#[test]
fn bytes_on_the_network_follow_the_kind_of_exchange() {
    let bytes = |kind: &str, info: &str| {
        let text = format!(
            "
            host vm
            device tpu:0 v6e
            line XLA Ops
              0..2us   recv.2 {{program_id=5 symbol_id=2 hlo_category=\"host recv\" {info}}}
              50..60us recv-done.2 {{program_id=5 symbol_id=5 hlo_category=\"host recv-done\"}}
            program 5 jit_step
              token.1 = token[] after-all()
              recv.2 = (f32[1000], u32[], token[]) recv(token.1) channel_id=8 is_host_transfer=true frontend_attributes={{_xla_megascale_transfer_type=\"{kind}\"}}
              ROOT recv-done.2 = (f32[1000], token[]) recv-done(recv.2) channel_id=8 is_host_transfer=true
            "
        );
        let report = ask(&drawn(&[&text]), "collectives", &[]);
        let row = &rows(&report, "rendezvous")[0];
        assert_eq!(row["rendezvous"], json!("channel 8"));
        row["bytes"].clone()
    };
    // Four endpoints in one group.
    let four = "dcn_collective_info=hex:12100a0208000a0208010a0208020a020803";
    assert_eq!(bytes("ALL_REDUCE", four), json!(6000), "2 · 3 ÷ 4");
    assert_eq!(bytes("ALL_GATHER", four), json!(3000));
    assert_eq!(bytes("ALL_TO_ALL", four), json!(3000));
    assert_eq!(bytes("REDUCE_SCATTER", four), json!(12_000));
    // A source and a destination.
    let pair = "dcn_collective_info=hex:1a080a02080012020801";
    assert_eq!(bytes("ONE_TO_ONE", pair), json!(4000));
    assert_eq!(bytes("ALL_REDUCE", ""), Value::Null, "nobody says how many");
}

#[test]
fn permutes_and_sends_carry_one_operand_to_one_other() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Ops
          0..1us   collective-permute-start.1 {program_id=5 symbol_id=1 hlo_category=collective-permute-start}
          1..31us  fusion.2 {program_id=5 symbol_id=2 hlo_category=\"loop fusion\"}
          31..41us collective-permute-done.1 {program_id=5 symbol_id=3 hlo_category=collective-permute-done}
          50..51us send.3 {program_id=5 symbol_id=4 hlo_category=send}
          51..52us recv.4 {program_id=5 symbol_id=5 hlo_category=recv}
          60..62us send-done.3 {program_id=5 symbol_id=6 hlo_category=send-done}
          62..66us recv-done.4 {program_id=5 symbol_id=7 hlo_category=recv-done}
        program 5 jit_step
          p.0 = f32[1000000] parameter(0)
          token.1 = token[] after-all()
          collective-permute-start.1 = (f32[1000000], f32[1000000]) collective-permute-start(p.0) source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
          fusion.2 = f32[1000000] add(p.0, p.0)
          collective-permute-done.1 = f32[1000000] collective-permute-done(collective-permute-start.1)
          send.3 = (f32[1000000], u32[], token[]) send(p.0, token.1) channel_id=3
          recv.4 = (f32[500000], u32[], token[]) recv(token.1) channel_id=4
          send-done.3 = token[] send-done(send.3) channel_id=3
          ROOT recv-done.4 = (f32[500000], token[]) recv-done(recv.4) channel_id=4
    "]);
    let report = ask(&session, "collectives", &[("sort", "name")]);
    let all = rows(&report, "rows");
    let kinds: Vec<_> = all.iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["permute", "recv", "send"]);
    let [permute, receive, send] = &all[..] else {
        panic!("three rows: {all:?}")
    };
    // 0..41, of which 30 behind computation; 4 MB, over one link of 90 GB/s.
    assert_eq!(micros(permute, "total_ps"), 41.0);
    assert_eq!(micros(permute, "exposed_ps"), 11.0);
    assert_eq!(
        (&permute["bytes"], &permute["group_size"]),
        (&json!(4_000_000), &json!(4))
    );
    assert!(close(&permute["bus_bandwidth"], 4e6 / 41e-6), "{permute}");
    assert!(close(&permute["link_ratio"], 4e6 / 41e-6 / 90e9));
    assert_eq!(
        (micros(send, "total_ps"), micros(send, "own_ps")),
        (12.0, 3.0),
        "50..62"
    );
    assert_eq!(send["bytes"], json!(4_000_000));
    assert_eq!(
        (micros(receive, "total_ps"), micros(receive, "own_ps")),
        (15.0, 5.0),
        "51..66"
    );
    assert_eq!(receive["bytes"], json!(2_000_000));
    assert!(rows(&report, "rendezvous").is_empty(), "no host is between");
}
