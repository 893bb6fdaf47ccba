//! The messages of `tensorflow.ProfilerService`, defined a second time.

use std::collections::HashMap;

use prost::Message;

/// Requests a profile.
#[derive(Clone, PartialEq, Message)]
pub struct ProfileRequest {
    /// Ignored for the window.
    #[prost(uint64, tag = "1")]
    pub duration_ms: u64,
    /// Ignored.
    #[prost(uint64, tag = "2")]
    pub max_events: u64,
    /// What is recorded, and for how long.
    #[prost(message, optional, tag = "4")]
    pub opts: Option<ProfileOptions>,
    /// Where servers that write put sessions.
    #[prost(string, tag = "5")]
    pub repository_root: String,
    /// The session, to end it by.
    #[prost(string, tag = "6")]
    pub session_id: String,
    /// The file, for servers that write.
    #[prost(string, tag = "7")]
    pub host_name: String,
    /// The profile is requested in the reply.
    #[prost(bool, tag = "9")]
    pub emit_xspace: bool,
}

/// What is recorded.
#[derive(Clone, PartialEq, Message)]
pub struct ProfileOptions {
    /// Host tracer.
    #[prost(uint32, tag = "2")]
    pub host_tracer_level: u32,
    /// Device tracer.
    #[prost(uint32, tag = "3")]
    pub device_tracer_level: u32,
    /// Python tracer.
    #[prost(uint32, tag = "4")]
    pub python_tracer_level: u32,
    /// With any value other than 1, the levels are ignored.
    #[prost(uint32, tag = "5")]
    pub version: u32,
    /// Programs are recorded.
    #[prost(bool, tag = "7")]
    pub enable_hlo_proto: bool,
    /// When the window starts, since the Unix epoch.
    #[prost(uint64, tag = "8")]
    pub start_timestamp_ns: u64,
    /// The window.
    #[prost(uint64, tag = "9")]
    pub duration_ms: u64,
    /// Options of backends.
    #[prost(map = "string, message", tag = "12")]
    pub advanced_configuration: HashMap<String, AdvancedValue>,
}

/// The value of an option of a backend: one of three.
#[derive(Clone, PartialEq, Message)]
pub struct AdvancedValue {
    /// Text.
    #[prost(string, optional, tag = "1")]
    pub string_value: Option<String>,
    /// Truth value.
    #[prost(bool, optional, tag = "2")]
    pub bool_value: Option<bool>,
    /// Number.
    #[prost(int64, optional, tag = "3")]
    pub int64_value: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ProfileResponse {
    #[prost(bool, tag = "7")]
    pub(super) empty_trace: bool,
    #[prost(bytes = "vec", tag = "8")]
    pub(super) xspace: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TerminateRequest {
    #[prost(string, tag = "1")]
    pub(super) session_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SnapshotRequest {
    #[prost(string, tag = "1")]
    pub(super) snapshot_session_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Empty {}
