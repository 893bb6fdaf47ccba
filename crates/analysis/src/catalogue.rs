//! The lists of all analyses and comparisons. This is the only file that names every one of them; the
//! command line, routes, menus, Python and docs all follow from it.

use crate::asking::{ComparisonEntry, Entry};
use crate::measuring::activity::CAUSES;
use crate::measuring::steps::PartKind;
use crate::telling::{Word, Words};
use crate::views::replay::path::WAIT_KINDS;
use crate::{comparing, judging, views};

/// All analyses, in menu order.
pub static ANALYSES: &[Entry] = &[
    Entry::of::<views::overview::Overview>(),
    Entry::of::<judging::advice::Advice>(),
    Entry::of::<judging::verdict::Verdict>(),
    Entry::of::<views::timeline::Timeline>(),
    Entry::of::<views::steps::Steps>(),
    Entry::of::<views::regions::Regions>(),
    Entry::of::<views::ops::Ops>(),
    Entry::of::<views::op_tree::OpTree>(),
    Entry::of::<views::scopes::Scopes>(),
    Entry::of::<views::kernels::Kernels>(),
    Entry::of::<views::roofline::Roofline>(),
    Entry::of::<views::graph::Graph>(),
    Entry::of::<views::counters::Counters>(),
    Entry::of::<views::memory::Memory>(),
    Entry::of::<views::buffers::Buffers>(),
    Entry::of::<views::heap::Heap>(),
    Entry::of::<views::critical_path::CriticalPath>(),
    Entry::of::<views::what_if::WhatIf>(),
    Entry::of::<views::idle::Idle>(),
    Entry::of::<views::input::Input>(),
    Entry::of::<views::compile::Compile>(),
    Entry::of::<views::collectives::Collectives>(),
    Entry::of::<views::hosts::Hosts>(),
    Entry::of::<views::requests::Requests>(),
];

/// The analysis with this name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    ANALYSES
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// All comparisons, in menu order.
pub static COMPARISONS: &[ComparisonEntry] = &[
    ComparisonEntry::of::<comparing::compare::Compare>(),
    ComparisonEntry::each::<comparing::scaling::Scaling>(),
    ComparisonEntry::of::<comparing::check::Check>(),
    ComparisonEntry::each::<comparing::history::History>(),
];

/// The comparison with this name or alias.
pub fn find_comparison(name: &str) -> Option<&'static ComparisonEntry> {
    COMPARISONS
        .iter()
        .find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// Names, titles and meanings of every enum that people see.
pub fn words() -> Vec<Words> {
    let causes = CAUSES.iter();
    let causes = causes.map(|cause| Word::new(cause.name(), cause.title(), cause.meaning()));
    vec![
        PartKind::words(),
        Words {
            name: "causes",
            words: causes.collect(),
        },
        Words {
            name: "wait_kinds",
            words: WAIT_KINDS
                .iter()
                .map(|kind| Word::new(kind.name(), kind.title(), kind.meaning()))
                .collect(),
        },
        views::input::words(),
        Words {
            name: "compile_phases",
            words: views::compile::PHASES.to_vec(),
        },
        Words {
            name: "request_phases",
            words: views::requests::PHASES.to_vec(),
        },
    ]
}
