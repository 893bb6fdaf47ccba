//! Cuts through a reshape: dimensions with equal products belong together.
//!
//! ```text
//! from   16 │ 8  32 │ 1 │ 64          the first of a group keeps its parts
//! to     16 │ 256   │   │ 4  16       whatever cuts an inner one makes the group unknown
//! ```
//!
//! A dimension of one element on each device may have several over all. Where the result has more of
//! them than the operand, they may have taken over the parts of others: `f32[64]` in four parts may
//! become `f32[1,64]` as one of `[4,64]` or of `[1,256]`. Only a reshape of the source does the first;
//! what the compiler adds, and `expand_dims` with its kind, the second.

use super::cut::Cut;

/// Cuts of the result of a reshape, by the sizes on one device. `is_of_source`: the program's author
/// wrote it.
pub(super) fn reshaped(from: &[i64], cuts: &[Cut], to: &[i64], is_of_source: bool) -> Vec<Cut> {
    groups(from, cuts, to, is_of_source).unwrap_or_else(|| vec![Cut::Unknown; to.len()])
}

fn groups(from: &[i64], cuts: &[Cut], to: &[i64], is_of_source: bool) -> Option<Vec<Cut>> {
    let is_empty = |sizes: &[i64]| sizes.iter().any(|&size| size <= 0);
    if is_empty(from) || is_empty(to) || from.len() != cuts.len() {
        return None;
    }
    let ones = |sizes: &[i64]| sizes.iter().filter(|&&size| size == 1).count();
    let has_new_ones = ones(to) > ones(from);
    let may_move = |cut: Cut| match cut {
        Cut::Unknown => has_new_ones,
        cut => has_new_ones && is_of_source && !cut.is_whole(),
    };
    let one = if cuts.iter().any(|&cut| may_move(cut)) {
        Cut::Unknown
    } else {
        Cut::WHOLE
    };
    let mut found = vec![one; to.len()];
    let (mut next_from, mut next_to) = (0, 0);
    while next_from < from.len() || next_to < to.len() {
        // One element on each device, but perhaps several over all: it stands for itself, or is the
        // most major dimension of what follows.
        let one = from.get(next_from).is_some_and(|&size| size == 1);
        if one {
            let cut = cuts[next_from];
            next_from += 1;
            if to.get(next_to) == Some(&1) {
                found[next_to] = cut;
                next_to += 1;
            } else if !cut.is_whole() {
                return None;
            }
            continue;
        }
        if to.get(next_to) == Some(&1) {
            next_to += 1;
            continue;
        }
        let (first_from, first_to) = (next_from, next_to);
        let (mut product_from, mut product_to) = (*from.get(next_from)?, *to.get(next_to)?);
        (next_from, next_to) = (next_from + 1, next_to + 1);
        while product_from != product_to {
            if product_from < product_to {
                product_from = product_from.checked_mul(*from.get(next_from)?)?;
                next_from += 1;
            } else {
                product_to = product_to.checked_mul(*to.get(next_to)?)?;
                next_to += 1;
            }
        }
        let inner = &cuts[first_from + 1..next_from];
        let (major, rest) = if !may_move(cuts[first_from]) && inner.iter().all(|cut| cut.is_whole())
        {
            let rest = match cuts[first_from] {
                Cut::Unknown => Cut::Unknown,
                Cut::Any => Cut::Any,
                Cut::Parts(..) => Cut::WHOLE,
            };
            (cuts[first_from], rest)
        } else {
            (Cut::Unknown, Cut::Unknown)
        };
        found[first_to..next_to].fill(rest);
        found[first_to] = major;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR: Cut = Cut::Parts(4, None);
    const WHOLE: Cut = Cut::WHOLE;

    fn plain(from: &[i64], cuts: &[Cut], to: &[i64]) -> Vec<Cut> {
        reshaped(from, cuts, to, false)
    }

    #[test]
    fn the_major_dimension_of_a_group_keeps_its_parts() {
        let merged = plain(&[16, 8, 32], &[FOUR, WHOLE, WHOLE], &[128, 32]);
        assert_eq!(merged, [FOUR, WHOLE]);
        let split = plain(&[128, 32], &[FOUR, FOUR], &[16, 8, 4, 8]);
        assert_eq!(split, [FOUR, WHOLE, FOUR, WHOLE]);
        let inner = plain(&[16, 8, 32], &[WHOLE, FOUR, FOUR], &[128, 32]);
        assert_eq!(inner, [Cut::Unknown, FOUR]);
        let free = plain(&[16, 8], &[Cut::Any, WHOLE], &[4, 4, 8]);
        assert_eq!(free, [Cut::Any, Cut::Any, WHOLE]);
    }

    #[test]
    fn dimensions_of_one_element_stand_for_themselves() {
        let kept = plain(&[1, 8], &[FOUR, WHOLE], &[1, 2, 4]);
        assert_eq!(kept, [FOUR, WHOLE, WHOLE]);
        let added = plain(&[8, 4], &[WHOLE, Cut::Any], &[1, 8, 1, 4]);
        assert_eq!(added, [WHOLE, WHOLE, WHOLE, Cut::Any]);
        let added = plain(&[8, 4], &[FOUR, WHOLE], &[1, 8, 4]);
        assert_eq!(added, [WHOLE, FOUR, WHOLE]);
        let written = reshaped(&[8, 4], &[FOUR, WHOLE], &[1, 8, 4], true);
        assert_eq!(written, [Cut::Unknown, Cut::Unknown, WHOLE]);
        let unclear = plain(&[8, 4], &[Cut::Unknown, WHOLE], &[1, 8, 4]);
        assert_eq!(unclear, [Cut::Unknown, Cut::Unknown, WHOLE]);
        let removed = plain(&[1, 8, 1], &[WHOLE, FOUR, WHOLE], &[8]);
        assert_eq!(removed, [FOUR]);
        // Four parts of one element each cannot vanish.
        let gone = plain(&[1, 8], &[FOUR, WHOLE], &[8]);
        assert_eq!(gone, [Cut::Unknown]);
    }

    #[test]
    fn sizes_that_cannot_be_are_unknown() {
        assert_eq!(plain(&[0, 8], &[FOUR, FOUR], &[0]), [Cut::Unknown]);
        assert_eq!(plain(&[3], &[FOUR], &[2]), [Cut::Unknown]);
        assert_eq!(
            plain(&[i64::MAX, 4], &[FOUR; 2], &[5, 7]),
            [Cut::Unknown; 2]
        );
        assert_eq!(plain(&[], &[], &[]), []);
    }
}
