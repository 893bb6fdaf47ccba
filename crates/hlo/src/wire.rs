//! The protobuf messages of XLA, cut down to the fields a profiler needs.
//!
//! Undeclared fields (literals, buffer assignment, shardings) are skipped by length without being
//! decoded. Text is declared as bytes, so that one broken character in a scope name does not cost
//! the whole program.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloProto {
    #[prost(message, optional, tag = "1")]
    pub(crate) hlo_module: Option<HloModule>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloModule {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) name: Vec<u8>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) computations: Vec<HloComputation>,
    #[prost(int64, tag = "5")]
    pub(crate) id: i64,
    #[prost(int64, tag = "6")]
    pub(crate) entry_computation_id: i64,
    /// Each an `OpSharding`, by the number of the parameter.
    #[prost(bytes = "vec", repeated, tag = "14")]
    pub(crate) spmd_parameters_shardings: Vec<Vec<u8>>,
    #[prost(message, optional, tag = "15")]
    pub(crate) device_assignment: Option<DeviceAssignment>,
    #[prost(message, optional, tag = "17")]
    pub(crate) stack_frame_index: Option<StackFrameIndex>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeviceAssignment {
    #[prost(int32, tag = "1")]
    pub(crate) replica_count: i32,
    #[prost(int32, tag = "2")]
    pub(crate) computation_count: i32,
    /// One for each computation: the devices of its replicas.
    #[prost(message, repeated, tag = "3")]
    pub(crate) computations: Vec<ReplicaGroup>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloComputation {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) name: Vec<u8>,
    /// Each an [`HloInstruction`], decoded one at a time: a vector of the large decoded messages
    /// would be moved about as it grows and be gone from the cache when it is read.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) instructions: Vec<Vec<u8>>,
    #[prost(int64, tag = "5")]
    pub(crate) id: i64,
    #[prost(int64, tag = "6")]
    pub(crate) root_id: i64,
    #[prost(bool, tag = "7")]
    pub(crate) is_fusion_computation: bool,
    #[prost(bytes = "vec", tag = "8")]
    pub(crate) execution_thread: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct HloInstruction {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) name: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) opcode: Vec<u8>,
    #[prost(message, optional, tag = "3")]
    pub(crate) shape: Option<Shape>,
    #[prost(message, optional, tag = "7")]
    pub(crate) metadata: Option<OpMetadata>,
    #[prost(int64, tag = "9")]
    pub(crate) parameter_number: i64,
    #[prost(bytes = "vec", tag = "11")]
    pub(crate) fusion_kind: Vec<u8>,
    #[prost(int64, tag = "13")]
    pub(crate) tuple_index: i64,
    #[prost(int64, repeated, tag = "14")]
    pub(crate) dimensions: Vec<i64>,
    #[prost(message, optional, tag = "15")]
    pub(crate) window: Option<Window>,
    #[prost(message, optional, boxed, tag = "16")]
    pub(crate) convolution_dimension_numbers: Option<Box<ConvolutionDimensionNumbers>>,
    #[prost(message, repeated, tag = "17")]
    pub(crate) slice_dimensions: Vec<SliceDimension>,
    #[prost(int64, repeated, tag = "20")]
    pub(crate) dynamic_slice_sizes: Vec<i64>,
    #[prost(message, optional, tag = "21")]
    pub(crate) padding_config: Option<PaddingConfig>,
    #[prost(int64, tag = "26")]
    pub(crate) channel_id: i64,
    #[prost(bytes = "vec", tag = "28")]
    pub(crate) custom_call_target: Vec<u8>,
    #[prost(message, optional, boxed, tag = "30")]
    pub(crate) dot_dimension_numbers: Option<Box<DotDimensionNumbers>>,
    #[prost(int64, repeated, tag = "32")]
    pub(crate) fft_length: Vec<i64>,
    #[prost(message, optional, boxed, tag = "33")]
    pub(crate) gather_dimension_numbers: Option<Box<GatherDimensionNumbers>>,
    #[prost(int64, repeated, tag = "34")]
    pub(crate) gather_slice_sizes: Vec<i64>,
    #[prost(int64, tag = "35")]
    pub(crate) id: i64,
    #[prost(int64, repeated, tag = "36")]
    pub(crate) operand_ids: Vec<i64>,
    #[prost(int64, repeated, tag = "38")]
    pub(crate) called_computation_ids: Vec<i64>,
    /// An `OpSharding`; that of a whole value has no bytes.
    #[prost(bytes = "vec", optional, tag = "40")]
    pub(crate) sharding: Option<Vec<u8>>,
    #[prost(bytes = "vec", tag = "43")]
    pub(crate) backend_config: Vec<u8>,
    #[prost(bool, tag = "47")]
    pub(crate) is_host_transfer: bool,
    #[prost(message, repeated, tag = "49")]
    pub(crate) replica_groups: Vec<ReplicaGroup>,
    #[prost(int64, tag = "50")]
    pub(crate) feature_group_count: i64,
    #[prost(message, optional, tag = "51")]
    pub(crate) precision_config: Option<PrecisionConfig>,
    #[prost(message, repeated, tag = "52")]
    pub(crate) source_target_pairs: Vec<SourceTarget>,
    #[prost(int64, tag = "58")]
    pub(crate) batch_group_count: i64,
    #[prost(bytes = "vec", tag = "63")]
    pub(crate) comparison_direction: Vec<u8>,
    /// A map of texts; only some are looked for.
    #[prost(bytes = "vec", tag = "68")]
    pub(crate) frontend_attributes: Vec<u8>,
    #[prost(bool, tag = "71")]
    pub(crate) use_global_device_ids: bool,
    #[prost(message, optional, boxed, tag = "87")]
    pub(crate) collective_device_list: Option<Box<CollectiveDeviceList>>,
    #[prost(message, optional, boxed, tag = "90")]
    pub(crate) ragged_dot_dimension_numbers: Option<Box<RaggedDotDimensionNumbers>>,
    #[prost(message, optional, boxed, tag = "92")]
    pub(crate) iota_device_list: Option<Box<IotaReplicaGroups>>,
    #[prost(message, optional, boxed, tag = "93")]
    pub(crate) mesh_axes_device_list: Option<Box<MeshAxesReplicaGroups>>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct PrecisionConfig {
    #[prost(int32, repeated, tag = "1")]
    pub(crate) operand_precision: Vec<i32>,
    #[prost(int32, tag = "2")]
    pub(crate) algorithm: i32,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct GatherDimensionNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) offset: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) collapsed_slice: Vec<i64>,
    #[prost(int64, tag = "4")]
    pub(crate) index_vector: i64,
    #[prost(int64, repeated, tag = "5")]
    pub(crate) operand_batching: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OpMetadata {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) op_type: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) op_name: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) source_file: Vec<u8>,
    #[prost(int32, tag = "4")]
    pub(crate) source_line: i32,
    #[prost(int32, tag = "15")]
    pub(crate) stack_frame_id: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StackFrameIndex {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) file_names: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(crate) function_names: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) file_locations: Vec<FileLocation>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) stack_frames: Vec<StackFrame>,
}

/// Ids count from one; zero means none.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct FileLocation {
    #[prost(int32, tag = "1")]
    pub(crate) file_name_id: i32,
    #[prost(int32, tag = "2")]
    pub(crate) function_name_id: i32,
    #[prost(int32, tag = "3")]
    pub(crate) line: i32,
    #[prost(int32, tag = "4")]
    pub(crate) column: i32,
}

/// Ids count from one; a parent of zero ends the stack.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct StackFrame {
    #[prost(int32, tag = "1")]
    pub(crate) file_location_id: i32,
    #[prost(int32, tag = "2")]
    pub(crate) parent_frame_id: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Shape {
    #[prost(int32, tag = "2")]
    pub(crate) element_type: i32,
    #[prost(int64, repeated, tag = "3")]
    pub(crate) dimensions: Vec<i64>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) tuple_shapes: Vec<Self>,
    #[prost(message, optional, tag = "5")]
    pub(crate) layout: Option<Layout>,
    #[prost(bool, repeated, tag = "6")]
    pub(crate) is_dynamic_dimension: Vec<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Layout {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) minor_to_major: Vec<i64>,
    #[prost(message, repeated, tag = "6")]
    pub(crate) tiles: Vec<Tile>,
    #[prost(int64, tag = "7")]
    pub(crate) element_size_in_bits: i64,
    #[prost(int64, tag = "8")]
    pub(crate) memory_space: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tile {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) dimensions: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Window {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dimensions: Vec<WindowDimension>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WindowDimension {
    #[prost(int64, tag = "1")]
    pub(crate) size: i64,
    #[prost(int64, tag = "2")]
    pub(crate) stride: i64,
    #[prost(int64, tag = "3")]
    pub(crate) padding_low: i64,
    #[prost(int64, tag = "4")]
    pub(crate) padding_high: i64,
    #[prost(int64, tag = "5")]
    pub(crate) window_dilation: i64,
    #[prost(int64, tag = "6")]
    pub(crate) base_dilation: i64,
    #[prost(bool, tag = "7")]
    pub(crate) window_reversal: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConvolutionDimensionNumbers {
    #[prost(int64, tag = "3")]
    pub(crate) kernel_input_feature: i64,
    #[prost(int64, tag = "4")]
    pub(crate) kernel_output_feature: i64,
    #[prost(int64, repeated, tag = "6")]
    pub(crate) kernel_spatial: Vec<i64>,
    #[prost(int64, tag = "7")]
    pub(crate) input_batch: i64,
    #[prost(int64, tag = "8")]
    pub(crate) input_feature: i64,
    #[prost(int64, tag = "9")]
    pub(crate) output_batch: i64,
    #[prost(int64, tag = "10")]
    pub(crate) output_feature: i64,
    #[prost(int64, repeated, tag = "11")]
    pub(crate) input_spatial: Vec<i64>,
    #[prost(int64, repeated, tag = "12")]
    pub(crate) output_spatial: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DotDimensionNumbers {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) lhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) rhs_contracting: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    pub(crate) lhs_batch: Vec<i64>,
    #[prost(int64, repeated, tag = "4")]
    pub(crate) rhs_batch: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RaggedDotDimensionNumbers {
    #[prost(message, optional, tag = "1")]
    pub(crate) dot_dimension_numbers: Option<DotDimensionNumbers>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SliceDimension {
    #[prost(int64, tag = "1")]
    pub(crate) start: i64,
    #[prost(int64, tag = "2")]
    pub(crate) limit: i64,
    #[prost(int64, tag = "3")]
    pub(crate) stride: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PaddingConfig {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dimensions: Vec<PaddingDimension>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PaddingDimension {
    #[prost(int64, tag = "1")]
    pub(crate) low: i64,
    #[prost(int64, tag = "2")]
    pub(crate) high: i64,
    #[prost(int64, tag = "3")]
    pub(crate) interior: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReplicaGroup {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) replica_ids: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SourceTarget {
    #[prost(int64, tag = "1")]
    pub(crate) source: i64,
    #[prost(int64, tag = "2")]
    pub(crate) target: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CollectiveDeviceList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) replica_groups: Vec<ReplicaGroup>,
    #[prost(message, optional, tag = "2")]
    pub(crate) iota: Option<IotaReplicaGroups>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct IotaReplicaGroups {
    #[prost(int64, tag = "1")]
    pub(crate) group_count: i64,
    #[prost(int64, tag = "2")]
    pub(crate) devices_per_group: i64,
    #[prost(int64, repeated, tag = "3")]
    pub(crate) reshape_dimensions: Vec<i64>,
    #[prost(int32, repeated, tag = "4")]
    pub(crate) transpose_permutation: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MeshAxesReplicaGroups {
    #[prost(message, optional, tag = "1")]
    pub(crate) mesh: Option<Mesh>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) axes: Vec<AxisRef>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mesh {
    #[prost(message, repeated, tag = "1")]
    pub(crate) axes: Vec<MeshAxis>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) device_ids: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MeshAxis {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) name: Vec<u8>,
    #[prost(int64, tag = "2")]
    pub(crate) size: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AxisRef {
    #[prost(int32, tag = "1")]
    pub(crate) mesh_axis_index: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) part: Option<SubAxis>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SubAxis {
    #[prost(int64, tag = "1")]
    pub(crate) before: i64,
    #[prost(int64, tag = "2")]
    pub(crate) size: i64,
}

/// Text of the wire, with broken characters replaced.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
