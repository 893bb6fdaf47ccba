//! The messages of `tensorflow.ProfilerService`, written by hand: names and numbers are those that
//! the service publishes. Only what is sent or read is here; other fields are skipped.

use std::collections::BTreeMap;
use std::path::Path;

use prost::bytes::Bytes;
use prost::{Message, Oneof};

use crate::address::Address;
use crate::request::{OptionValue, Request};

/// Path of the call that records for a while.
pub(crate) const PROFILE: &str = "/tensorflow.ProfilerService/Profile";
/// Path of the call that ends one early.
pub(crate) const TERMINATE: &str = "/tensorflow.ProfilerService/Terminate";
/// Paths of the call that starts continuous profiling, the newer first.
pub(crate) const START_CONTINUOUS: [&str; 2] = [
    "/tensorflow.ProfilerService/StartContinuousProfiling",
    "/tensorflow.ProfilerService/ContinuousProfiling",
];
/// Paths of the call that takes a snapshot, the newer first.
pub(crate) const GET_SNAPSHOT: [&str; 2] = [
    "/tensorflow.ProfilerService/GetSnapshot",
    "/tensorflow.ProfilerService/GetSnapShot",
];
/// Path of the call that stops continuous profiling.
pub(crate) const STOP_CONTINUOUS: &str = "/tensorflow.ProfilerService/StopContinuousProfiling";

/// With any other version the server puts its own levels in place of ours.
const OPTIONS_VERSION: u32 = 1;
/// What other clients ask for; servers of today ignore it.
const MAX_EVENTS: u64 = 1_000_000;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProfileRequest {
    #[prost(uint64, tag = "1")]
    pub(crate) duration_ms: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) max_events: u64,
    #[prost(message, optional, tag = "4")]
    pub(crate) options: Option<ProfileOptions>,
    #[prost(string, tag = "5")]
    pub(crate) repository_root: String,
    #[prost(string, tag = "6")]
    pub(crate) session_id: String,
    #[prost(string, tag = "7")]
    pub(crate) host_name: String,
    #[prost(bool, tag = "9")]
    pub(crate) emit_xspace: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProfileOptions {
    #[prost(bool, tag = "1")]
    pub(crate) include_dataset_ops: bool,
    #[prost(uint32, tag = "2")]
    pub(crate) host_tracer_level: u32,
    #[prost(uint32, tag = "3")]
    pub(crate) device_tracer_level: u32,
    #[prost(uint32, tag = "4")]
    pub(crate) python_tracer_level: u32,
    #[prost(uint32, tag = "5")]
    pub(crate) version: u32,
    #[prost(bool, tag = "7")]
    pub(crate) enable_hlo_proto: bool,
    /// Since the Unix epoch by the host's clock; 0 is at once.
    #[prost(uint64, tag = "8")]
    pub(crate) start_timestamp_ns: u64,
    /// The window. The field of the same name in the request alone records nothing.
    #[prost(uint64, tag = "9")]
    pub(crate) duration_ms: u64,
    #[prost(string, tag = "10")]
    pub(crate) repository_path: String,
    #[prost(btree_map = "string, message", tag = "12")]
    pub(crate) advanced_configuration: BTreeMap<String, AdvancedValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AdvancedValue {
    #[prost(oneof = "AdvancedKind", tags = "1, 2, 3")]
    pub(crate) kind: Option<AdvancedKind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum AdvancedKind {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(bool, tag = "2")]
    Truth(bool),
    #[prost(int64, tag = "3")]
    Number(i64),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProfileResponse {
    #[prost(bool, tag = "7")]
    pub(crate) empty_trace: bool,
    /// A message of its own, which is kept as it came.
    #[prost(bytes = "bytes", tag = "8")]
    pub(crate) xspace: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TerminateRequest {
    #[prost(string, tag = "1")]
    pub(crate) session_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GetSnapshotRequest {
    #[prost(string, tag = "1")]
    pub(crate) snapshot_session_id: String,
}

/// Requests and replies without content.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Nothing {}

impl Request {
    /// What is sent to one host. `start_unix_ns` 0 is at once.
    pub(crate) fn message(
        &self,
        address: &Address,
        session_id: &str,
        root: &Path,
        start_unix_ns: u64,
    ) -> ProfileRequest {
        let duration_ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let root = root.display().to_string();
        ProfileRequest {
            duration_ms,
            max_events: MAX_EVENTS,
            options: Some(ProfileOptions {
                include_dataset_ops: true,
                host_tracer_level: self.tracers.host,
                device_tracer_level: self.tracers.device,
                python_tracer_level: self.tracers.python,
                version: OPTIONS_VERSION,
                enable_hlo_proto: true,
                start_timestamp_ns: start_unix_ns,
                duration_ms,
                repository_path: root.clone(),
                advanced_configuration: self
                    .options
                    .iter()
                    .map(|(key, value)| (key.clone(), value.to_wire()))
                    .collect(),
            }),
            repository_root: root,
            session_id: session_id.to_owned(),
            host_name: address.file_stem(),
            emit_xspace: true,
        }
    }
}

impl OptionValue {
    fn to_wire(&self) -> AdvancedValue {
        let kind = match self {
            Self::Truth(value) => AdvancedKind::Truth(*value),
            Self::Number(value) => AdvancedKind::Number(*value),
            Self::Text(value) => AdvancedKind::Text(value.clone()),
        };
        AdvancedValue { kind: Some(kind) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_bytes_that_the_service_publishes() {
        let request = ProfileRequest {
            duration_ms: 500,
            options: Some(ProfileOptions {
                version: 1,
                host_tracer_level: 2,
                duration_ms: 500,
                advanced_configuration: BTreeMap::from([(
                    "k".to_owned(),
                    AdvancedValue {
                        kind: Some(AdvancedKind::Number(7)),
                    },
                )]),
                ..ProfileOptions::default()
            }),
            session_id: "s".to_owned(),
            emit_xspace: true,
            ..ProfileRequest::default()
        };
        let by_hand = [
            &[0x08, 0xf4, 0x03][..],         // 1: 500
            &[0x22, 0x10],                   // 4: 16 bytes
            &[0x10, 0x02, 0x28, 0x01],       // 4.2: 2, 4.5: 1
            &[0x48, 0xf4, 0x03],             // 4.9: 500
            &[0x62, 0x07, 0x0a, 0x01, b'k'], // 4.12: {1: "k",
            &[0x12, 0x02, 0x18, 0x07],       //        2: {3: 7}}
            &[0x32, 0x01, b's', 0x48, 0x01], // 6: "s", 9: true
        ]
        .concat();
        assert_eq!(request.encode_to_vec(), by_hand);
    }

    #[test]
    fn the_profile_of_a_reply_is_kept_as_it_came() {
        // 6: tool data that nobody wants, 7: true, 8: three bytes of a message.
        let bytes = [
            0x32, 0x02, 0x0a, 0x00, 0x38, 0x01, 0x42, 0x03, 0x0a, 0x01, 0x78,
        ];
        let reply = ProfileResponse::decode(&bytes[..]).expect("a reply");
        assert!(reply.empty_trace);
        assert_eq!(reply.xspace.as_ref(), [0x0a, 0x01, 0x78]);
    }
}
