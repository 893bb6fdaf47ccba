//! Where the arrows of events lead. The stats of most events say at most that.

use stepscope_xplane::Tail;

use crate::flow::FlowKey;
use crate::vendor::stats::{StatRole, StatRoles};

/// Where the arrows of an event lead: types and ids of what it produces and consumes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Arrows {
    pub(super) producer: (Option<i64>, Option<u64>),
    pub(super) consumer: (Option<i64>, Option<u64>),
}

impl Arrows {
    /// For an event whose stats say nothing else that matters.
    #[inline]
    pub(super) fn of(roles: &StatRoles, mut tail: Tail<'_>) -> Option<Self> {
        let mut arrows = Self::default();
        for stat in &mut tail {
            let int = || stat.value().as_int();
            match roles.get(stat.metadata_id) {
                StatRole::Ignored => {}
                StatRole::ProducerType => arrows.producer.0 = int(),
                StatRole::ProducerId => arrows.producer.1 = int().map(i64::cast_unsigned),
                StatRole::ConsumerType => arrows.consumer.0 = int(),
                StatRole::ConsumerId => arrows.consumer.1 = int().map(i64::cast_unsigned),
                _ => return None,
            }
        }
        tail.rest().is_empty().then_some(arrows)
    }

    /// The keys of both ends, producer first.
    #[inline]
    pub(super) fn keys(&self) -> impl Iterator<Item = FlowKey> + use<> {
        let producer = self.producer.0.zip(self.producer.1);
        let consumer = self.consumer.0.zip(self.consumer.1);
        let producer = producer.map(|(kind, id)| FlowKey::Producer(kind, id));
        let consumer = consumer.map(|(kind, id)| FlowKey::Consumer(kind, id));
        producer.into_iter().chain(consumer)
    }
}
