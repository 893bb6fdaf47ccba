//! What a change does to the weights of a graph.

use super::graph::NONE;
use crate::measuring::activity::CAUSES;

/// How what the recording leaves open is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Inferred waits are waits, also those of threads of which nothing was recorded; threads of
    /// which something is known work in between; hidden transfers took as long as they could.
    Likely,
    /// The same without inferred waits: such gaps keep their length.
    Least,
    /// Inferred waits are waits; threads wait for devices in between whatever is known of them;
    /// hidden transfers took no time.
    Most,
}

impl Reading {
    /// Every reading.
    pub const ALL: [Self; 3] = [Self::Likely, Self::Least, Self::Most];
}

/// What changes, by label and as a whole.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    /// Factor of the time of work, by label. Empty: nothing changes.
    pub work: Vec<f64>,
    /// Factor of the transfer of collectives, by label.
    pub transfer: Vec<f64>,
    /// Ops that no longer run, by label.
    pub removed: Vec<bool>,
    /// Whether the time of the label's work is communication of unknown parts: waits and transfer.
    pub is_communication: Vec<bool>,
    /// Whether the label is the start or the done of a collective, which take their time anyway.
    pub is_part: Vec<bool>,
    /// The factor of the network, which is already part of `transfer`.
    pub network: f64,
    /// Whether participants that arrive at a collective after the median one catch up.
    pub is_aligned: bool,
    /// Causes whose time is gone.
    pub gone: [bool; CAUSES.len()],
    /// Labels of work whose launches are merged: of a program run, only the first work waits for its call.
    pub merged: Vec<bool>,
    /// Whether host threads never wait for devices: they launch ahead.
    pub launches_ahead: bool,
    /// Whether the session has devices whose work is launched piece by piece.
    pub has_launches: bool,
}

impl Effects {
    /// Scales the ops of a label, wherever they work or transfer.
    pub fn scale(&mut self, label: usize, factor: f64) {
        self.work[label] *= factor;
        self.transfer[label] *= factor;
    }

    /// No change.
    pub fn none() -> Self {
        Self {
            network: 1.0,
            ..Self::default()
        }
    }

    /// Factor of the time of work. How much of a collective without matched participants is transfer
    /// is unknown: a faster network shortens all of it or nothing.
    pub(crate) fn work_factor(&self, label: u32, reading: Reading) -> f64 {
        let is_part = self.is_part.get(label as usize) == Some(&true);
        if is_part {
            return self.own_factor(label);
        }
        self.rest_factor(label, reading)
    }

    /// Factor of the time from the start of an asynchronous op to its end.
    pub(crate) fn rest_factor(&self, label: u32, reading: Reading) -> f64 {
        let is_communication = self.is_communication.get(label as usize) == Some(&true);
        if is_communication && reading != Reading::Least {
            return self.own_factor(label) / self.network;
        }
        self.own_factor(label)
    }

    fn own_factor(&self, label: u32) -> f64 {
        let factor = self.work.get(label as usize).filter(|_| label != NONE);
        factor.copied().unwrap_or(1.0)
    }

    pub(crate) fn transfer_factor(&self, label: u32) -> f64 {
        let factor = self.transfer.get(label as usize).filter(|_| label != NONE);
        factor.copied().unwrap_or(1.0)
    }

    pub(crate) fn is_merged(&self, label: u32) -> bool {
        label != NONE && self.merged.get(label as usize) == Some(&true)
    }

    pub(crate) fn is_removed(&self, label: u32) -> bool {
        label != NONE && self.removed.get(label as usize) == Some(&true)
    }
}
