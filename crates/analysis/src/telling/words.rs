//! Words for the values of an enum that people see: what each is called and what it means. The page
//! takes order, titles and meanings from here and adds its colors.

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its name in reports.
    pub key: &'static str,
    /// What people read: one to three words.
    pub title: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

impl Word {
    /// A word.
    pub const fn new(key: &'static str, title: &'static str, meaning: &'static str) -> Self {
        Self {
            key,
            title,
            meaning,
        }
    }
}

/// All values of an enum, in display order, which is also that of arrays by value.
#[derive(Debug, Clone)]
pub struct Words {
    /// What they are, such as `causes`.
    pub name: &'static str,
    /// The values.
    pub words: Vec<Word>,
}
