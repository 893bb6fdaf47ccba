//! Rows that look alike: which other column tells them apart.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Columns that say where something is: they tell apart what has the same name.
pub(crate) const WHERE: [&str; 7] = [
    "program", "scope", "path", "stack", "device", "host", "thread",
];

/// A column of text.
pub(crate) struct Texts<'a> {
    pub(crate) cells: &'a [String],
    /// It is shown in any case.
    pub(crate) is_kept: bool,
}

/// The column, of those that may be hidden, with which most rows look different. None if all do without it,
/// or none helps.
pub(crate) fn telling(columns: &[Texts<'_>]) -> Option<usize> {
    let rows = columns.first()?.cells.len();
    let different = |other: Option<usize>| {
        let shown = columns.iter().enumerate();
        let shown: Vec<&[String]> = shown
            .filter(|(index, column)| column.is_kept || Some(*index) == other)
            .map(|(_, column)| column.cells)
            .collect();
        let look =
            |row: usize| -> Vec<&str> { shown.iter().map(|cells| cells[row].as_str()).collect() };
        (0..rows).map(look).collect::<BTreeSet<_>>().len()
    };
    let alone = different(None);
    if alone == rows {
        return None;
    }
    let others = (0..columns.len()).filter(|&index| !columns[index].is_kept);
    let counted = others.map(|index| (different(Some(index)), Reverse(index)));
    let (count, Reverse(index)) = counted.max()?;
    (count > alone).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_that_tells_most_rows_apart_helps() {
        let texts = |cells: [&str; 3]| cells.map(str::to_owned);
        let name = texts(["dot", "dot", "dot"]);
        let (scope, program) = (texts(["a", "a", "b"]), texts(["1", "2", "3"]));
        let of = |cells, is_kept| Texts { cells, is_kept };
        let columns = [of(&name[..], true), of(&scope, false), of(&program, false)];
        assert_eq!(telling(&columns), Some(2));
        let told = [of(&name[..], true), of(&scope, false), of(&program, true)];
        assert_eq!(telling(&told), None);
        assert_eq!(telling(&[of(&name[..], true), of(&name, false)]), None);
    }
}
