//! Replica groups out of the text of an instruction, for profiles that hold the text and no program.

use crate::replica_groups::ReplicaGroups;

impl ReplicaGroups {
    /// The groups that the HLO text of an instruction writes, listed or as iota; `None` where it
    /// writes none or writes them in another way.
    pub fn of_text(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("replica_groups=")?;
        if rest.starts_with('{') {
            listed(rest)
        } else {
            iota(rest)
        }
    }
}

/// `{{0,1},{2,3}}`, or `{}`.
fn listed(text: &str) -> Option<ReplicaGroups> {
    let mut rest = text.strip_prefix('{')?;
    let mut groups = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if rest.starts_with('}') {
            return Some(ReplicaGroups::Listed(groups));
        }
        let (group, after) = rest.strip_prefix('{')?.split_once('}')?;
        groups.push(numbers(group)?);
        rest = after;
    }
}

/// `[4,2]<=[2,4]T(1,0)`.
fn iota(text: &str) -> Option<ReplicaGroups> {
    let (groups, rest) = text.strip_prefix('[')?.split_once("]<=[")?;
    let (reshape, rest) = rest.split_once(']')?;
    let transpose = match rest.strip_prefix("T(") {
        Some(rest) => numbers(rest.split_once(')')?.0)?,
        None => Vec::new(),
    };
    let [group_count, devices_per_group] = numbers(groups)?[..] else {
        return None;
    };
    Some(ReplicaGroups::Iota {
        group_count,
        devices_per_group,
        reshape_dimensions: numbers(reshape)?,
        transpose_permutation: transpose,
    })
}

fn numbers<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    let parts = text.split(',').map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_shown() {
        for text in ["{{0,1},{2,3}}", "[4,2]<=[2,4]T(1,0)", "[2,4]<=[8]"] {
            let whole = format!(
                "%all-reduce.1 = f32[8] all-reduce(f32[8] %p), channel_id=1, replica_groups={text}, to_apply=%add"
            );
            let found = ReplicaGroups::of_text(&whole).expect("it is written");
            assert_eq!(found.to_string(), text);
        }
        let transposed = ReplicaGroups::of_text("replica_groups=[2,2]<=[2,2]T(1,0)");
        let groups = transposed.and_then(|groups| groups.groups(8));
        assert_eq!(groups, Some(vec![vec![0, 2], vec![1, 3]]));
        let empty = ReplicaGroups::of_text("x, replica_groups={}, y").expect("all in one");
        assert_eq!((empty.group_size(), empty.device_count()), (None, None));
    }

    #[test]
    fn what_is_not_understood_is_none() {
        for text in [
            "all-reduce(p)",
            "replica_groups={{0,1}",
            "replica_groups={{0,x}}",
            "replica_groups=[4]<=[4]",
            "replica_groups=mesh['a'=2] {'a'}",
            "replica_groups=",
        ] {
            assert_eq!(ReplicaGroups::of_text(text), None, "{text}");
        }
    }
}
