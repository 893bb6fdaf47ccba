//! Traces of Chrome and Perfetto from times as they are written.

/// A trace of complete events, of pairs of a beginning and an end, of samples and arrows.
pub(crate) fn chrome(events: &[(&str, &str)]) -> Vec<u8> {
    let mut parts = Vec::new();
    for (index, (start, duration)) in events.iter().enumerate() {
        let at = format!(r#""pid":1,"tid":{},"ts":{start}"#, index % 3);
        parts.push(format!(
            r#"{{"ph":"X","name":"op {}",{at},"dur":{duration}}}"#,
            index % 4
        ));
        parts.push(format!(r#"{{"ph":"B","name":"open",{at}}}"#));
        parts.push(format!(r#"{{"ph":"E","pid":1,"tid":0,"ts":{duration}}}"#));
        parts.push(format!(
            r#"{{"ph":"C","name":"count",{at},"args":{{"value":{duration}}}}}"#
        ));
        parts.push(format!(
            r#"{{"ph":"X","cat":"kernel","name":"gemm",{at},"dur":{duration},"args":{{"device":0,"stream":7,"correlation":{index}}}}}"#
        ));
        parts.push(format!(r#"{{"ph":"s","name":"f","id":{index},{at}}}"#));
    }
    // Ids at the edge of numbers.
    parts.push(
        r#"{"ph":"X","name":"far","pid":-9223372036854775808,"tid":9223372036854775807,"ts":1,"dur":1}"#
            .to_owned(),
    );
    format!(r#"{{"traceEvents":[{}]}}"#, parts.join(",")).into_bytes()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).expect("seven bits") | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).expect("seven bits"));
    out
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn message(field: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let body = parts.concat();
    [varint(field << 3 | 2), varint(body.len() as u64), body].concat()
}

/// A trace of slices that begin at a time, in nanoseconds, and end after another, with samples of a
/// counter.
pub(crate) fn perfetto(slices: &[(u64, u64)]) -> Vec<u8> {
    let event = |time: u64, kind: u64, more: &[Vec<u8>]| {
        let event = [&[number(9, kind)], more].concat();
        message(1, &[number(8, time), number(10, 5), message(11, &event)])
    };
    let name = || message(23, &[b"slice".to_vec()]);
    let mut out = event(0, 3, &[name()]);
    for &(start, duration) in slices {
        out.extend(event(start, 1, &[name()]));
        out.extend(event(start.wrapping_add(duration), 2, &[]));
        out.extend(event(start, 4, &[number(11, 9), number(30, duration)]));
    }
    out
}
