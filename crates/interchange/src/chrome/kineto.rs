//! What PyTorch's profiler (Kineto) writes: categories of events, details of kernels, devices.

use super::event::Raw;
use super::number::whole;
use super::stats::integer;
use super::token::{Cursor, Part, Token};
use crate::draft::Owned;

/// What an event of a category is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
    /// A kernel of a GPU.
    Kernel,
    /// A copy of a GPU.
    Copy,
    /// A memset of a GPU.
    Memset,
    /// An annotation as the GPU saw it.
    DeviceAnnotation,
    /// A call of the GPU's driver or runtime.
    Runtime,
    /// An op of PyTorch on a host thread.
    Op,
    /// What the user annotated, steps of the profiler among it.
    Annotation,
    /// A frame of Python.
    Python,
    /// The trace itself.
    Span,
    /// Anything else, and any other tool's.
    Other,
}

impl Category {
    /// By its name; older versions capitalise some.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"cpu_op" | b"Operator" => Self::Op,
            b"python_function" => Self::Python,
            b"kernel" | b"Kernel" | b"concurrent_kernel" => Self::Kernel,
            b"cuda_runtime" | b"cuda_driver" | b"Runtime" | b"hip_runtime" | b"hip_driver" => {
                Self::Runtime
            }
            b"gpu_memcpy" | b"Memcpy" => Self::Copy,
            b"gpu_memset" | b"Memset" => Self::Memset,
            b"gpu_user_annotation" => Self::DeviceAnnotation,
            b"user_annotation" => Self::Annotation,
            b"Trace" => Self::Span,
            _ => Self::Other,
        }
    }

    /// It happens on a device.
    pub(super) const fn is_device(self) -> bool {
        matches!(
            self,
            Self::Kernel | Self::Copy | Self::Memset | Self::DeviceAnnotation
        )
    }
}

/// The number in `ProfilerStep#12`.
pub(super) fn step_number(name: &[u8]) -> Option<i64> {
    i64::try_from(whole(name.strip_prefix(b"ProfilerStep#")?)?).ok()
}

/// `dir/file.py(12): function` as `$dir/file.py:12 function`, the way frames of Python are known.
pub(super) fn frame_name(name: &[u8]) -> Vec<u8> {
    let mut frame = vec![b'$'];
    let text = String::from_utf8_lossy(name);
    let parts = text.split_once("): ").and_then(|(place, function)| {
        let (file, line) = place.rsplit_once('(')?;
        line.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some((file, line, function))
    });
    match parts {
        Some((file, line, function)) => {
            frame.extend_from_slice(format!("{file}:{line} {function}").as_bytes());
        }
        None => frame.extend_from_slice(name),
    }
    frame
}

/// Arguments that [`details`] folds into one text.
pub(super) fn is_detail(name: &[u8]) -> bool {
    matches!(
        name,
        b"registers per thread"
            | b"shared memory"
            | b"grid"
            | b"block"
            | b"est. achieved occupancy %"
            | b"bytes"
    )
}

/// The details of a kernel, copy or memset as GPU profilers of JAX pack them, and their stat's name.
pub(super) fn details(category: Category, bytes: &[u8], raw: &Raw) -> (&'static [u8], Vec<u8>) {
    let mut text = String::new();
    let mut add = |key: &str, value: &str| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(key);
        text.push(':');
        text.push_str(value);
    };
    let plain = |name: &[u8]| match raw.argument(bytes, name) {
        Some(Token::Number(part) | Token::Text(part) | Token::Nested(part)) => {
            let text = String::from_utf8_lossy(part.of(bytes));
            text.chars().filter(|c| !"[] \n\r\t".contains(*c)).collect()
        }
        _ => String::new(),
    };
    let fields: &[(&str, &[u8])] = match category {
        Category::Kernel => &[
            ("regs", b"registers per thread"),
            ("shm", b"shared memory"),
            ("grid", b"grid"),
            ("block", b"block"),
            ("occ_pct", b"est. achieved occupancy %"),
        ],
        Category::Copy => {
            let name = String::from_utf8_lossy(raw.name.of(bytes)).into_owned();
            if let Some((from, to)) = memory_kinds(&name) {
                add("kind_src", &from);
                add("kind_dst", &to);
            }
            &[("size", b"bytes")]
        }
        _ => &[("num_bytes", b"bytes")],
    };
    for &(key, argument) in fields {
        let value: String = plain(argument);
        if !value.is_empty() {
            add(key, &value);
        }
    }
    let stat: &[u8] = match category {
        Category::Kernel => b"kernel_details",
        Category::Copy => b"memcpy_details",
        _ => b"memset_details",
    };
    (stat, text.into_bytes())
}

/// `Memcpy HtoD (Pinned -> Device)`: `pinned` and `device`.
fn memory_kinds(name: &str) -> Option<(String, String)> {
    let (_, inner) = name.split_once('(')?;
    let (from, to) = inner.trim_end_matches(')').split_once("->")?;
    let kind = |text: &str| text.trim().to_ascii_lowercase();
    Some((kind(from), kind(to)))
}

/// What the list of devices says about each: its number and stats for its plane.
pub(super) fn devices(list: &[u8]) -> Vec<(i64, Vec<(String, Owned)>)> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(list);
    if cursor.expect(b'[').is_err() {
        return found;
    }
    loop {
        match cursor.peek() {
            Ok(b',') => cursor.at += 1,
            Ok(b'{') => match device(&mut cursor) {
                Some(device) => found.push(device),
                None => return found,
            },
            _ => return found,
        }
    }
}

fn device(cursor: &mut Cursor<'_>) -> Option<(i64, Vec<(String, Owned)>)> {
    let bytes = cursor.bytes;
    cursor.expect(b'{').ok()?;
    let (mut id, mut stats) = (0, Vec::new());
    while let Some(key) = cursor.key().ok()? {
        let value = cursor.value().ok()?;
        let number = integer(bytes, Some(value));
        let mut add = |name: &str, value: Owned| stats.push((name.to_owned(), value));
        match key.of(bytes) {
            b"id" => id = number.unwrap_or(0),
            b"name" => {
                if let Token::Text(name) = value {
                    let name = String::from_utf8_lossy(&name.text(bytes)).into_owned();
                    let is_amd =
                        name.contains("AMD") || name.contains("MI3") || name.contains("gfx");
                    let vendor = if is_amd { "AMD" } else { "Nvidia" };
                    add("device_vendor", Owned::Text(vendor.to_owned()));
                    add("gpu_device_name", Owned::Text(name));
                }
            }
            key => {
                let name = match key {
                    b"totalGlobalMem" => "memory_size",
                    b"computeMajor" => "compute_cap_major",
                    b"computeMinor" => "compute_cap_minor",
                    b"numSms" => "core_count",
                    _ => continue,
                };
                if let Some(number) = number {
                    add(name, Owned::Int(number));
                }
            }
        }
    }
    Some((id, stats))
}

/// Members of an object as texts, for facts.
pub(super) fn members(object: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(object);
    if cursor.expect(b'{').is_err() {
        return found;
    }
    while let Ok(Some(key)) = cursor.key() {
        let Ok(value) = cursor.value() else { break };
        let text = |part: Part| String::from_utf8_lossy(&part.text(object)).into_owned();
        let value = match value {
            Token::Text(part) | Token::Number(part) | Token::Nested(part) => text(part),
            Token::Bool(value) => value.to_string(),
            Token::Null => continue,
        };
        found.push((text(key), value));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_named_as_the_model_knows_them() {
        let frame = frame_name(b"torch/nn/modules/module.py(1501): _call_impl");
        assert_eq!(frame, b"$torch/nn/modules/module.py:1501 _call_impl");
        assert_eq!(
            frame_name(b"<built-in method mm>"),
            b"$<built-in method mm>"
        );
    }

    #[test]
    fn steps_and_memories_are_told_by_name() {
        assert_eq!(step_number(b"ProfilerStep#12"), Some(12));
        assert_eq!(step_number(b"ProfilerStep*"), None);
        let kinds = memory_kinds("Memcpy HtoD (Pinned -> Device)");
        assert_eq!(kinds, Some(("pinned".to_owned(), "device".to_owned())));
        assert_eq!(memory_kinds("Memcpy HtoD"), None);
    }

    #[test]
    fn devices_become_facts_of_their_planes() {
        let list = br#"[{"id": 1, "name": "NVIDIA H100", "numSms": 132, "computeMajor": 9}, {}]"#;
        let found = devices(list);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, 1);
        assert!(
            found[0]
                .1
                .contains(&("core_count".to_owned(), Owned::Int(132)))
        );
    }
}
