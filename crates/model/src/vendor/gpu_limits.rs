//! What a GPU's multiprocessor can hold, its shared memory and its links: public tables of vendors.

use super::capabilities::Capabilities;
use crate::session::{DeviceKind, Multiprocessor, Peak};

/// Limits by NVIDIA compute capability: threads, blocks, shared KiB, KiB reserved for each block.
/// All have 65,536 registers and warps of 32. Source: CUDA C++ programming guide, technical
/// specifications per compute capability: version 13 for 7.5 and up, version 12 for those before.
/// The highest row not above the device's counts.
const NVIDIA_LIMITS: &[((i64, i64), [i64; 4])] = &[
    ((12, 0), [1536, 24, 100, 1]),
    ((11, 0), [1536, 24, 228, 1]),
    ((10, 0), [2048, 32, 228, 1]),
    ((9, 0), [2048, 32, 228, 1]),
    ((8, 9), [1536, 24, 100, 1]),
    ((8, 7), [1536, 16, 164, 1]),
    ((8, 6), [1536, 16, 100, 1]),
    ((8, 0), [2048, 32, 164, 1]),
    ((7, 5), [1024, 16, 64, 0]),
    ((7, 0), [2048, 32, 96, 0]),
    ((6, 2), [2048, 32, 64, 0]),
    ((6, 1), [2048, 32, 96, 0]),
    ((6, 0), [2048, 32, 64, 0]),
    ((5, 3), [2048, 32, 64, 0]),
    ((5, 2), [2048, 32, 96, 0]),
    ((5, 0), [2048, 32, 64, 0]),
    ((3, 0), [2048, 16, 48, 0]),
];

/// One way over PCIe, and one way over all NVLink or Infinity Fabric links together, GB/s; a row fits
/// when all its words are in the model's name. Source: the vendors' data sheets, which give both
/// ways together: half of what they say. PCIe with 16 lanes: generation 3 has 16, 4 has 32, 5 has 64.
///
/// Cards for PCIe slots can be joined by bridges (600 GB/s both ways for H100 PCIe, A100 PCIe and
/// H100 NVL), which a profile does not tell, so they have no such peak.
const LINKS: &[(&[&str], f64, Option<f64>)] = &[
    // NVLink 5: 1.8 TB/s.
    (&["b200"], 64.0, Some(900.0)),
    // NVLink 4: 900 GB/s; the NVL form has it over a bridge.
    (&["h200", "nvl"], 64.0, None),
    (&["h200"], 64.0, Some(450.0)),
    (&["h100", "pcie"], 64.0, None),
    (&["h100", "nvl"], 64.0, None),
    (&["h100"], 64.0, Some(450.0)),
    // NVLink 3: 600 GB/s.
    (&["a100", "pcie"], 32.0, None),
    (&["a100"], 32.0, Some(300.0)),
    (&["l40s"], 32.0, None),
    (&["l4"], 32.0, None),
    // NVLink 2: 300 GB/s.
    (&["v100", "pcie"], 16.0, None),
    (&["v100"], 16.0, Some(150.0)),
    (&["t4"], 16.0, None),
    (&["1080"], 16.0, None),
    // 7 links to the other accelerators of a node: 153.6 GB/s each, and 128 GB/s each before.
    (&["mi355x"], 64.0, Some(537.6)),
    (&["mi350x"], 64.0, Some(537.6)),
    (&["mi325x"], 64.0, Some(448.0)),
    (&["mi300x"], 64.0, Some(448.0)),
];

pub(crate) fn multiprocessor(
    kind: DeviceKind,
    capability: Option<(i64, i64)>,
) -> Option<Multiprocessor> {
    let capability = capability.filter(|_| kind == DeviceKind::NvidiaGpu)?;
    let (_, [threads, blocks, shared, reserved]) = NVIDIA_LIMITS
        .iter()
        .find(|(known, _)| *known <= capability)?;
    Some(Multiprocessor {
        threads: *threads,
        blocks: *blocks,
        registers: 65_536,
        shared_bytes: shared << 10,
        reserved_shared_bytes: reserved << 10,
        warp: 32,
    })
}

/// Shared memory of all multiprocessors: 128 bytes per clock each since Maxwell, and on CDNA but the
/// fourth, whose local memory is twice as wide.
pub(crate) fn shared_peak(kind: DeviceKind, capabilities: &Capabilities) -> Option<Peak> {
    let cores = capabilities.core_count.filter(|&cores| cores > 0.0)?;
    let clock = capabilities.clock_khz.filter(|&clock| clock > 0.0)? * 1e3;
    let (width, unit): (f64, &str) = match (kind, capabilities.capability?) {
        (DeviceKind::NvidiaGpu, (5.., _)) => (128.0, "SMs"),
        (DeviceKind::AmdGpu, (9, 5)) => (256.0, "CUs"),
        (DeviceKind::AmdGpu, (9, _)) => (128.0, "CUs"),
        _ => return None,
    };
    let gigahertz = clock / 1e9;
    Some(Peak {
        per_second: cores * width * clock,
        source: format!(
            "computed: {cores:.0} {unit} × {width:.0} bytes per clock × {gigahertz:.2} GHz \
             recorded clock"
        ),
    })
}

/// To the host and to other devices, from the words of a model's name.
pub(crate) fn links(words: &[String]) -> (Option<Peak>, Option<Peak>) {
    let has = |wanted: &&str| words.iter().any(|word| word == wanted);
    let Some((_, host, peer)) = LINKS.iter().find(|(known, ..)| known.iter().all(has)) else {
        return (None, None);
    };
    let peak = |gigabytes: f64, what: &str| Peak {
        per_second: gigabytes * 1e9,
        source: format!("public data sheet: {what}, one way"),
    };
    let peer = peer.map(|gigabytes| peak(gigabytes, "all links to other devices"));
    (Some(peak(*host, "PCIe with 16 lanes")), peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_by_capability() {
        let limits = |capability| multiprocessor(DeviceKind::NvidiaGpu, Some(capability));
        assert_eq!(
            limits((9, 0)).map(|limits| limits.shared_bytes),
            Some(233_472)
        );
        assert_eq!(
            limits((8, 7)).map(|limits| (limits.threads, limits.shared_bytes >> 10)),
            Some((1536, 164))
        );
        assert_eq!(
            limits((11, 0)).map(|limits| limits.shared_bytes >> 10),
            Some(228)
        );
        assert_eq!(limits((1, 0)), None);
        assert_eq!(multiprocessor(DeviceKind::AmdGpu, Some((9, 4))), None);
    }

    #[test]
    fn links_by_words() {
        let words = |name: &str| name.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (host, peer) = links(&words("nvidia h100 80gb hbm3"));
        assert_eq!(host.map(|peak| peak.per_second), Some(64e9));
        assert_eq!(peer.map(|peak| peak.per_second), Some(450e9));
        assert_eq!(links(&words("tpu v6 lite")), (None, None));
        let (_, bridge) = links(&words("nvidia h100 nvl"));
        assert_eq!(bridge, None, "a bridge may be there or not");
        let (_, card) = links(&words("tesla v100 pcie 16gb"));
        assert_eq!(card, None);
    }

    #[test]
    fn shared_memory_of_an_h100() {
        let capabilities = Capabilities {
            core_count: Some(132.0),
            clock_khz: Some(1.98e6),
            capability: Some((9, 0)),
            ..Capabilities::default()
        };
        let peak = shared_peak(DeviceKind::NvidiaGpu, &capabilities).unwrap();
        assert!((peak.per_second - 33.454_08e12).abs() < 1e6);
    }
}
