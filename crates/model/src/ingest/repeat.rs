//! Repeating ops: apart from its name, the stats of an XLA:CPU op are, byte for byte, those of the
//! previous op, as long as both belong to one run. Such an op is recognized without decoding its
//! stats.
//!
//! ```text
//! op a   hlo_op=a │ hlo_module program_id run_id device_ordinal … │ producer …
//! op b   hlo_op=b │ ════════════ the same bytes ═════════════════ │ producer …
//! ```

use stepscope_xplane::{Stat, StatValue, Tail};

use super::keys::TextKey;
use super::seen::Seen;
use crate::vendor::stats::{StatRole, StatRoles};

/// The last op of XLA:CPU of a line.
pub(super) struct Repeat<'a> {
    /// Its stats after the first, up to those that differ between ops.
    shared: &'a [u8],
    /// Number of its context.
    pub(super) context: u32,
    /// Its group in the columns.
    pub(super) group: u16,
    /// It belongs to a program run.
    pub(super) has_run: bool,
}

impl<'a> Repeat<'a> {
    /// From an op whose stats were decoded into `seen`; `None` if a later op could differ in bytes
    /// that are not compared.
    pub(super) fn of(
        roles: &StatRoles,
        mut tail: Tail<'a>,
        seen: &Seen,
        context: u32,
        group: u16,
    ) -> Option<Self> {
        named_op(roles, tail.next()?)?;
        let stats = tail.rest();
        let (mut shared, mut is_shared) = (0, true);
        while let Some(stat) = tail.next() {
            match roles.get(stat.metadata_id) {
                role if differs(role) => is_shared = false,
                StatRole::Ignored if !is_shared => {}
                StatRole::Ignored
                | StatRole::HloModule
                | StatRole::ProgramId
                | StatRole::RunId
                | StatRole::DeviceOrdinal
                    if is_shared =>
                {
                    shared = stats.len() - tail.rest().len();
                }
                _ => return None,
            }
        }
        if !tail.rest().is_empty() {
            return None;
        }
        Some(Self {
            shared: &stats[..shared],
            context,
            group,
            has_run: seen.run_id.is_some(),
        })
    }

    /// The op's name, if everything else that matters is the same as for the previous op.
    #[inline]
    pub(super) fn op(&self, roles: &StatRoles, mut tail: Tail<'a>) -> Option<TextKey> {
        let op = named_op(roles, tail.next()?)?;
        if !tail.pass_over(self.shared) {
            return None;
        }
        for stat in &mut tail {
            let role = roles.get(stat.metadata_id);
            if role != StatRole::Ignored && !differs(role) {
                return None;
            }
        }
        tail.rest().is_empty().then_some(op)
    }
}

/// Arrows of XLA:CPU ops lead only to their own end markers and are not followed.
#[inline]
fn differs(role: StatRole) -> bool {
    matches!(role, StatRole::ProducerType | StatRole::ProducerId)
}

#[inline]
fn named_op(roles: &StatRoles, stat: Stat<'_>) -> Option<TextKey> {
    match stat.value() {
        StatValue::Ref(id) if roles.get(stat.metadata_id) == StatRole::HloOp => {
            Some(TextKey::reference(id))
        }
        _ => None,
    }
}
