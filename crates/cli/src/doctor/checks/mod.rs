//! The checks of the environment: pure functions of facts about the machine.

mod gpu;
mod jax;
mod place;
mod system;
mod viewers;

use super::check::Check;
use super::machine::Machine;

/// A group of checks: their IDs, and the function that runs them.
pub(crate) struct Group {
    /// Every ID that the group can report.
    pub(crate) ids: &'static [&'static str],
    look: fn(&Machine) -> Vec<Check>,
}

/// All checks, in the order in which they are reported.
pub(crate) static GROUPS: &[Group] = &[
    Group {
        ids: jax::IDS,
        look: jax::look,
    },
    Group {
        ids: gpu::IDS,
        look: gpu::look,
    },
    Group {
        ids: place::IDS,
        look: place::look,
    },
    Group {
        ids: system::IDS,
        look: system::look,
    },
    Group {
        ids: viewers::IDS,
        look: viewers::look,
    },
];

/// Every check of the environment.
pub(crate) fn all(machine: &Machine) -> Vec<Check> {
    let mut checks = Vec::new();
    for group in GROUPS {
        let new = (group.look)(machine);
        debug_assert!(new.iter().all(|check| group.ids.contains(&check.id)));
        checks.extend(new);
    }
    checks
}
