//! How the parts of a step look: the same colors as on the pages.

use stepscope_analysis::measuring::steps::PartKind;

/// A part, its symbol where there is no color, and its color.
pub(crate) struct Look {
    pub(crate) part: PartKind,
    pub(crate) symbol: &'static str,
    pub(crate) rgb: (u8, u8, u8),
}

const fn look(part: PartKind, symbol: &'static str, rgb: (u8, u8, u8)) -> Look {
    Look { part, symbol, rgb }
}

/// All parts in display order.
pub(crate) const LOOKS: [Look; 10] = [
    look(PartKind::DeviceCompute, "#", (0x2f, 0x9e, 0x83)),
    look(PartKind::Collectives, "%", (0xe0, 0x8b, 0x1f)),
    look(PartKind::HostToDevice, ">", (0xd3, 0xb5, 0x3a)),
    look(PartKind::DeviceToHost, "<", (0xb3, 0x95, 0x2a)),
    look(PartKind::DeviceToDevice, "=", (0xe6, 0xd2, 0x7a)),
    look(PartKind::PythonCallbacks, "p", (0x8f, 0x74, 0xd6)),
    look(PartKind::InputWait, "i", (0xb5, 0x5f, 0x93)),
    look(PartKind::Compilation, "c", (0x8a, 0x6a, 0x45)),
    look(PartKind::HostOverhead, "h", (0xa9, 0x8f, 0x78)),
    look(PartKind::Idle, ".", (0xa3, 0xac, 0xb9)),
];
