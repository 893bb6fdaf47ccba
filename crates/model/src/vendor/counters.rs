//! Units of counters, from their names and descriptions if these contain them.

/// The unit of a counter's values, in the words of reports; `None` if unknown.
///
/// Bracketed units win (`Power (W)`, `clock [MHz]`); then the suffixes that GPU metrics have
/// (`.pct_of_peak_sustained_elapsed`, `.per_second`, `bytes`) and common endings of names.
pub fn counter_unit(name: &str, description: &str) -> Option<&'static str> {
    bracketed(name)
        .or_else(|| bracketed(description))
        .or_else(|| suffixed(&name.to_ascii_lowercase()))
}

/// Spellings in brackets and what they become.
const UNITS: &[(&str, &str)] = &[
    ("%", "%"),
    ("percent", "%"),
    ("w", "W"),
    ("watts", "W"),
    ("mw", "mW"),
    ("j", "J"),
    ("mhz", "MHz"),
    ("ghz", "GHz"),
    ("hz", "Hz"),
    ("c", "°C"),
    ("°c", "°C"),
    ("v", "V"),
    ("bytes", "bytes"),
    ("b", "bytes"),
    ("gb/s", "GB/s"),
    ("bytes/s", "bytes/s"),
    ("cycles", "cycles"),
    ("instructions", "instructions"),
    ("flits", "flits"),
    ("ns", "ns"),
    ("us", "µs"),
    ("ms", "ms"),
];

fn bracketed(text: &str) -> Option<&'static str> {
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let inner = &rest[open + 1..];
        let close = inner.find([')', ']'])?;
        let word = inner[..close].trim().to_lowercase();
        if let Some((_, unit)) = UNITS.iter().find(|(spelling, _)| *spelling == word) {
            return Some(unit);
        }
        rest = &inner[close..];
    }
    None
}

fn suffixed(name: &str) -> Option<&'static str> {
    const ENDINGS: &[(&str, &str)] = &[
        ("_gbps", "GB/s"),
        ("bytes.sum.per_second", "bytes/s"),
        ("bytes.per_second", "bytes/s"),
        ("bytes_per_second", "bytes/s"),
        (".per_second", "per second"),
        ("_mhz", "MHz"),
        ("_watts", "W"),
        ("power_w", "W"),
        ("_mw", "mW"),
        ("_celsius", "°C"),
        ("_pct", "%"),
        ("_percent", "%"),
        ("_bytes", "bytes"),
        ("bytes.sum", "bytes"),
        ("cycles", "cycles"),
        ("cycle_count", "cycles"),
        ("clocks_skipped", "cycles"),
    ];
    if name.contains("pct_of_peak") || name.rsplit('.').next() == Some("pct") {
        return Some("%");
    }
    let found = ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    found.map(|(_, unit)| *unit).or_else(|| rolled_up(name))
}

/// What a metric of a GPU counts, from the words of its name: `dram__bytes_read.sum`,
/// `sm__cycles_active.avg`. Rates and ratios have other endings.
fn rolled_up(name: &str) -> Option<&'static str> {
    const COUNTED: [(&str, &str); 5] = [
        ("bytes", "bytes"),
        ("cycles", "cycles"),
        ("inst", "instructions"),
        ("sectors", "sectors"),
        ("requests", "requests"),
    ];
    let (counter, sum) = name.rsplit_once('.')?;
    let has = |word: &str| counter.split('_').any(|own| own == word);
    if !matches!(sum, "sum" | "avg" | "min" | "max") || has("per") || counter.contains('.') {
        return None;
    }
    let found = COUNTED.iter().find(|(word, _)| has(word));
    found.map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::counter_unit;

    #[test]
    fn units_where_they_are_said() {
        assert_eq!(counter_unit("Power (W)", ""), Some("W"));
        assert_eq!(counter_unit("clock", "SM clock [MHz]"), Some("MHz"));
        let tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
        assert_eq!(counter_unit(tensor, ""), Some("%"));
        assert_eq!(
            counter_unit("dram__bytes.sum.per_second", ""),
            Some("bytes/s")
        );
        assert_eq!(counter_unit("hbm_gbps", ""), Some("GB/s"));
        assert_eq!(counter_unit("dram__bytes_read.sum", ""), Some("bytes"));
        assert_eq!(counter_unit("sm__cycles_active.avg", ""), Some("cycles"));
        assert_eq!(
            counter_unit("smsp__inst_executed.sum", ""),
            Some("instructions")
        );
        assert_eq!(counter_unit("smsp__inst_per_warp.avg", ""), None);
        assert_eq!(counter_unit("smsp__inst_issued.ratio", ""), None);
        assert_eq!(counter_unit("stall_reason(other) [x]", ""), None);
        assert_eq!(counter_unit("open ( never closed", ""), None);
    }
}
