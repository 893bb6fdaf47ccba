//! Names, titles and meanings of enum values that people see. The pages take order, titles and
//! meanings from here and add colors.

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its name in reports.
    pub key: &'static str,
    /// Title that people see: one to three words.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Word {
    /// A value with its name, title and meaning.
    pub const fn new(key: &'static str, title: &'static str, meaning: &'static str) -> Self {
        Self {
            key,
            title,
            meaning,
        }
    }
}

/// All values of an enum, in display order. Arrays by value use the same order.
#[derive(Debug, Clone)]
pub struct Words {
    /// What they are, such as `causes`.
    pub name: &'static str,
    /// The values.
    pub words: Vec<Word>,
}
