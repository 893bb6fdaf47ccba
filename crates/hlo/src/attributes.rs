//! What an instruction carries beside operands: windows, dimension numbers, groups.

use crate::replica_groups::ReplicaGroups;

/// Opcode-specific facts of an instruction. Empty or zero where the opcode has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes {
    /// `dimensions={…}` of broadcast, reduce, transpose, concatenate and the collectives.
    pub dimensions: Vec<i64>,
    /// Sliding window of convolutions and reduce-window, one entry per dimension.
    pub window: Vec<WindowDimension>,
    /// Roles of the dimensions of a convolution.
    pub convolution: Option<Box<ConvolutionDimensions>>,
    /// Roles of the dimensions of a dot, also from the configuration of a GPU matmul call.
    pub dot: Option<Box<DotDimensions>>,
    /// Roles of the dimensions of a gather.
    pub gather: Option<Box<GatherDimensions>>,
    /// Bounds of a slice, one entry per dimension.
    pub slice: Vec<SliceDimension>,
    /// Result sizes of a dynamic-slice.
    pub dynamic_slice_sizes: Vec<i64>,
    /// Padding of a pad, one entry per dimension.
    pub padding: Vec<PaddingDimension>,
    /// Lengths of a Fourier transform.
    pub fft_length: Vec<i64>,
    /// Number of a parameter.
    pub parameter_number: i64,
    /// Index of a get-tuple-element.
    pub tuple_index: i64,
    /// Groups of input features of a convolution, at least one.
    pub feature_group_count: i64,
    /// Groups of batches of a convolution, at least one.
    pub batch_group_count: i64,
    /// `LT`, `EQ` and so on of a compare.
    pub comparison_direction: String,
    /// Channel of a communication; zero when none.
    pub channel_id: i64,
    /// Which devices communicate with each other.
    pub replica_groups: ReplicaGroups,
    /// Whether the groups speak of global device ids rather than of replicas.
    pub uses_global_device_ids: bool,
    /// Pairs of a collective-permute: from, to.
    pub source_target_pairs: Vec<(i64, i64)>,
    /// Whether a send or receive talks to the host.
    pub is_host_transfer: bool,
    /// Whether it goes through the host to devices of other TPU slices.
    pub is_between_slices: bool,
    /// How exactly a product is to be computed.
    pub precision: Precision,
    /// Trip count of a while loop, where the compiler knew it.
    pub known_trip_count: Option<u64>,
    /// Kind named by the backend of a fusion: `__ynn_fusion`, `__triton_gemm`; else empty.
    pub backend_kind: String,
    /// What the author of a custom kernel says that it costs.
    pub cost_estimate: Option<Box<CostEstimate>>,
    /// Sizes of a library's attention, where its configuration has them.
    pub attention: Option<Box<AttentionDimensions>>,
}

/// How exactly a product is to be computed: `precision_config`, also from the configuration of a GPU
/// matmul call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Precision {
    /// The highest that an operand asks for: 0 `DEFAULT`, 1 `HIGH`, 2 `HIGHEST`.
    pub level: u8,
    /// Number of the algorithm, as in `PrecisionConfig.Algorithm`; 0 if the level decides.
    pub algorithm: u8,
}

/// The cost of one execution of a kernel, as its author wrote it down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CostEstimate {
    /// Floating-point operations.
    pub flops: u64,
    /// Exponentials, logarithms and the like.
    pub transcendentals: u64,
    /// Bytes read and written; zero where not stated.
    pub bytes_accessed: u64,
}

/// Sizes of an attention call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttentionDimensions {
    /// Sequences.
    pub batch: u64,
    /// Heads of the queries.
    pub heads: u64,
    /// Positions of the queries.
    pub queries: u64,
    /// Positions of keys and values.
    pub keys: u64,
    /// Length of a query and length of a value, together; zero where the operands say it.
    pub depths: u64,
    /// Positions see only those before them.
    pub is_causal: bool,
}

/// One dimension of a sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowDimension {
    /// Taps.
    pub size: i64,
    /// Step between two outputs, at least one.
    pub stride: i64,
    /// Elements added before the first; negative when cut off.
    pub padding_low: i64,
    /// Elements added after the last; negative when cut off.
    pub padding_high: i64,
    /// Distance between two taps, at least one.
    pub window_dilation: i64,
    /// Distance between two input elements, at least one.
    pub base_dilation: i64,
    /// Whether the taps are applied in reverse.
    pub is_reversed: bool,
}

/// Which dimension plays which role in a convolution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConvolutionDimensions {
    /// Batch of the input.
    pub input_batch: i64,
    /// Feature of the input.
    pub input_feature: i64,
    /// Spatial dimensions of the input.
    pub input_spatial: Vec<i64>,
    /// Input feature of the kernel.
    pub kernel_input_feature: i64,
    /// Output feature of the kernel.
    pub kernel_output_feature: i64,
    /// Spatial dimensions of the kernel.
    pub kernel_spatial: Vec<i64>,
    /// Batch of the output.
    pub output_batch: i64,
    /// Feature of the output.
    pub output_feature: i64,
    /// Spatial dimensions of the output.
    pub output_spatial: Vec<i64>,
}

/// Which dimensions a dot contracts and which it maps over.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DotDimensions {
    /// Contracting dimensions of the left operand.
    pub lhs_contracting: Vec<i64>,
    /// Contracting dimensions of the right operand.
    pub rhs_contracting: Vec<i64>,
    /// Batch dimensions of the left operand.
    pub lhs_batch: Vec<i64>,
    /// Batch dimensions of the right operand.
    pub rhs_batch: Vec<i64>,
}

/// Which dimensions of a gather come from where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GatherDimensions {
    /// Dimensions of the result that lie within a slice.
    pub offset: Vec<i64>,
    /// Dimensions of the operand that the result lacks.
    pub collapsed: Vec<i64>,
    /// Dimension of the indices that holds the parts of one index.
    pub index_vector: i64,
    /// Sizes of a slice, one per dimension of the operand.
    pub slice_sizes: Vec<i64>,
}

/// Bounds of one dimension of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceDimension {
    /// First element.
    pub start: i64,
    /// One past the last element.
    pub limit: i64,
    /// Step, one when every element is taken.
    pub stride: i64,
}

/// Padding of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaddingDimension {
    /// Elements before the first.
    pub low: i64,
    /// Elements after the last.
    pub high: i64,
    /// Elements between two neighbors.
    pub interior: i64,
}
