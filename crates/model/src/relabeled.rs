//! Labels that replace those in the file.
//!
//! Where the slices themselves stay in the file, their new labels are kept compressed: steps repeat, so
//! that a whole capture takes little more than one of its steps.

use std::sync::{Arc, OnceLock};

use bytemuck::TransparentWrapper as _;

use crate::ids::LabelId;

/// Fast, and enough for what repeats exactly.
const LEVEL: i32 = 1;

/// The labels of a lane, one for each slice.
#[derive(Clone)]
pub(crate) struct Relabeled {
    labels: OnceLock<Arc<[LabelId]>>,
    /// The same, compressed, if `labels` may be forgotten.
    packed: Option<Packed>,
}

#[derive(Clone)]
struct Packed {
    bytes: Arc<[u8]>,
    count: usize,
}

impl Relabeled {
    /// Labels that stay in memory.
    pub(crate) fn kept(labels: Vec<LabelId>) -> Self {
        Self {
            labels: OnceLock::from(Arc::from(labels)),
            packed: None,
        }
    }

    /// Labels that are in memory only while they are used.
    pub(crate) fn packed(labels: Vec<LabelId>) -> Self {
        let plain: &[u8] = bytemuck::cast_slice(LabelId::peel_slice(&labels));
        let Ok(bytes) = zstd::bulk::compress(plain, LEVEL) else {
            return Self::kept(labels);
        };
        Self {
            labels: OnceLock::new(),
            packed: Some(Packed {
                bytes: bytes.into(),
                count: labels.len(),
            }),
        }
    }

    /// The labels.
    pub(crate) fn get(&self) -> &[LabelId] {
        self.labels.get_or_init(|| match &self.packed {
            Some(packed) => packed.labels(),
            None => Arc::default(),
        })
    }

    /// Leaves only what is compressed in memory.
    pub(crate) fn forget(&mut self) {
        if self.packed.is_some() {
            self.labels = OnceLock::new();
        }
    }
}

impl Packed {
    fn labels(&self) -> Arc<[LabelId]> {
        let mut numbers = vec![0u32; self.count];
        let plain: &mut [u8] = bytemuck::cast_slice_mut(&mut numbers);
        // These are our own bytes, in our own memory.
        let _ = zstd::bulk::decompress_to_buffer(&self.bytes, plain);
        LabelId::wrap_slice(&numbers).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_repeats_takes_little_and_comes_back() {
        let step = (0..500u32).map(|number| LabelId(number * 7919 % 1000));
        let labels: Vec<LabelId> = (0..100).flat_map(|_| step.clone()).collect();
        let mut packed = Relabeled::packed(labels.clone());
        let size = packed.packed.as_ref().map(|packed| packed.bytes.len());
        assert!(size.expect("packed") * 100 < labels.len() * 4);
        assert_eq!(packed.get(), labels);
        packed.forget();
        assert_eq!(packed.clone().get(), labels);
        let mut kept = Relabeled::kept(labels.clone());
        kept.forget();
        assert_eq!(kept.get(), labels);
        assert!(Relabeled::packed(Vec::new()).get().is_empty());
    }
}
