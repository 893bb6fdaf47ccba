//! The region of every label of a host thread: its name, and whether it is shown.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::host_names::{Region, RegionKind, region};
use stepscope_model::{Activity, CompilePhase, LabelId, Session, SliceKind};

use super::{Fold, KindFilter, RegionsOptions};
use crate::measuring::selection::Selected;

/// No region.
pub(super) const NONE: u32 = u32::MAX;

/// One region: what its slices have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) kind: RegionKind,
    pub(super) name: String,
    pub(super) source: String,
    /// Number of different names folded into the region.
    pub(super) name_count: u32,
    /// Whether `--match` matches it.
    pub(super) is_match: bool,
}

/// What a label of a host thread is.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelRegion {
    /// Its region; `NONE` if it is hidden or not a region.
    pub(super) region: u32,
    /// Its region within compiler code, where only the compiler opens regions.
    pub(super) in_compiler: u32,
    /// Whether only the compiler opens regions within its slices.
    pub(super) is_compiler: bool,
    /// Whether it is a region, shown or not.
    pub(super) is_region: bool,
    /// Whether the program opened it, by an annotation or a Python call.
    pub(super) is_of_program: bool,
}

/// Names of kernels. Runtimes name what launches a kernel after it, which no annotation of the program is.
struct Launches<'a>(FxHashSet<&'a str>);

impl<'a> Launches<'a> {
    fn of(session: &'a Session) -> Self {
        let kernels = session.labels.iter();
        let kernels = kernels.filter(|label| label.kind == SliceKind::Kernel);
        Self(
            kernels
                .map(|label| plain(session.text(label.name)))
                .collect(),
        )
    }

    fn told(&self, found: Region<'a>) -> Region<'a> {
        let is_launch = found.kind == RegionKind::Annotation && self.0.contains(plain(found.name));
        let kind = if is_launch {
            RegionKind::Runtime
        } else {
            found.kind
        };
        Region { kind, ..found }
    }
}

/// The name of a kernel without the mark of AMD's compiler.
fn plain(name: &str) -> &str {
    name.strip_suffix(".kd").unwrap_or(name)
}

/// All regions of a session.
pub(super) struct Names {
    pub(super) regions: Vec<Named>,
    labels: Vec<LabelRegion>,
}

impl Names {
    pub(super) fn of(session: &Session, selected: &Selected<'_>, options: &RegionsOptions) -> Self {
        let launches = Launches::of(session);
        let found: Vec<Option<Region<'_>>> = session
            .labels
            .iter()
            .map(|label| {
                let found = region(session.text(label.name), label.kind, label.activity)?;
                Some(launches.told(found))
            })
            .collect();
        let folds = match options.fold {
            Fold::None => Folds::default(),
            Fold::Numbers => Folds::of(found.iter().flatten()),
        };
        let mut names = Self {
            regions: Vec::new(),
            labels: Vec::with_capacity(found.len()),
        };
        let mut known = FxHashMap::default();
        for (label, found) in session.labels.iter().zip(&found) {
            let Some(found) = found else {
                names.labels.push(LabelRegion {
                    region: NONE,
                    in_compiler: NONE,
                    is_compiler: false,
                    is_region: false,
                    is_of_program: false,
                });
                continue;
            };
            let mut number = |kind: RegionKind| {
                if !options.kind.shows(kind) {
                    return NONE;
                }
                let (name, name_count) = folds.name(found);
                let key = (kind, name.to_owned(), found.source);
                let next = names.regions.len();
                let number = *known.entry(key).or_insert(next);
                if number == next {
                    names.regions.push(Named {
                        kind,
                        name: name.to_owned(),
                        source: found.source.to_owned(),
                        name_count,
                        is_match: false,
                    });
                }
                // A folded region matches if any of its names does.
                names.regions[number].is_match |=
                    selected.matches(&[name, found.name, found.source]);
                u32::try_from(number).unwrap_or(NONE)
            };
            let in_compiler = match found.kind {
                RegionKind::Python => RegionKind::Python,
                RegionKind::Annotation | RegionKind::Runtime => RegionKind::Runtime,
            };
            names.labels.push(LabelRegion {
                region: number(found.kind),
                in_compiler: number(in_compiler),
                is_compiler: label.kind == SliceKind::Host && is_compiler(label.activity),
                is_region: true,
                is_of_program: found.kind != RegionKind::Runtime,
            });
        }
        names
    }

    pub(super) fn label(&self, label: LabelId) -> &LabelRegion {
        &self.labels[label.index()]
    }

    pub(super) fn region(&self, number: u32) -> &Named {
        &self.regions[number as usize]
    }
}

/// Whether this is purely compiler code. Tracing and lowering are not: they call functions of the
/// program.
fn is_compiler(activity: Activity) -> bool {
    use CompilePhase::{Autotune, Backend, Generate, Optimize};
    matches!(
        activity,
        Activity::Compile(Backend | Optimize | Generate | Autotune)
    )
}

impl KindFilter {
    fn shows(self, kind: RegionKind) -> bool {
        match self {
            Self::User => kind != RegionKind::Runtime,
            Self::Annotation => kind == RegionKind::Annotation,
            Self::Python => kind == RegionKind::Python,
            Self::Runtime => kind == RegionKind::Runtime,
            Self::All => true,
        }
    }
}

/// Names that differ only in numbers.
#[derive(Default)]
struct Folds<'a> {
    /// For each folded name, by kind: the common form and the number of names that have it.
    forms: FxHashMap<(RegionKind, &'a str), (String, u32)>,
}

impl<'a> Folds<'a> {
    /// A name stays as it is if no other name has the same form. Python functions always do, since
    /// they are not numbered.
    fn of<'r>(regions: impl Iterator<Item = &'r Region<'a>>) -> Self
    where
        'a: 'r,
    {
        let mut by_form: BTreeMap<(RegionKind, String), BTreeSet<&'a str>> = BTreeMap::new();
        for region in regions.filter(|region| region.kind != RegionKind::Python) {
            let form = folded(region.name);
            if form != region.name {
                let names = by_form.entry((region.kind, form)).or_default();
                names.insert(region.name);
            }
        }
        let mut forms = FxHashMap::default();
        for ((kind, form), names) in by_form {
            if names.len() > 1 {
                let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
                let of_name = |name| ((kind, name), (form.clone(), count));
                forms.extend(names.into_iter().map(of_name));
            }
        }
        Self { forms }
    }

    fn name<'s>(&'s self, region: &Region<'s>) -> (&'s str, u32) {
        match self.forms.get(&(region.kind, region.name)) {
            Some((form, count)) => (form, *count),
            None => (region.name, 1),
        }
    }
}

/// Replaces numbers by `*`, unless a letter follows: `layer_12` becomes `layer_*`, `conv2d_3` becomes
/// `conv2d_*`.
pub(super) fn folded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(begin) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (head, tail) = rest.split_at(begin);
        let length = tail
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(tail.len());
        let (digits, after) = tail.split_at(length);
        text.push_str(head);
        let is_word = after.chars().next().is_some_and(char::is_alphabetic);
        text.push_str(if is_word { digits } else { "*" });
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fold_but_not_those_of_words() {
        for (name, expected) in [
            ("layer_12", "layer_*"),
            ("layer_3/attn_1", "layer_*/attn_*"),
            ("conv2d_3", "conv2d_*"),
            ("h.11.attn", "h.*.attn"),
            ("layers[7]", "layers[*]"),
            ("block 4", "block *"),
            ("relu", "relu"),
            ("größe_2", "größe_*"),
            ("", ""),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_without_a_sibling_stays() {
        let regions = ["layer_0", "layer_1", "relu6", "layer_x"].map(|name| Region {
            kind: RegionKind::Annotation,
            name,
            source: "",
        });
        let folds = Folds::of(regions.iter());
        let shown: Vec<_> = regions.iter().map(|region| folds.name(region)).collect();
        assert_eq!(
            shown,
            [("layer_*", 2), ("layer_*", 2), ("relu6", 1), ("layer_x", 1)]
        );
    }
}
