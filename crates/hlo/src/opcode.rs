//! Sets of opcodes that cost, category and class share.

/// One result element per element of the operands, at one operation each.
pub(crate) fn is_elementwise(opcode: &str) -> bool {
    is_transcendental(opcode)
        || matches!(
            opcode,
            "abs"
                | "acos"
                | "acosh"
                | "add"
                | "and"
                | "asin"
                | "asinh"
                | "atanh"
                | "bitcast-convert"
                | "ceil"
                | "clamp"
                | "compare"
                | "complex"
                | "convert"
                | "count-leading-zeros"
                | "divide"
                | "floor"
                | "imag"
                | "is-finite"
                | "maximum"
                | "minimum"
                | "multiply"
                | "negate"
                | "not"
                | "or"
                | "popcnt"
                | "real"
                | "reduce-precision"
                | "remainder"
                | "round-nearest-afz"
                | "round-nearest-even"
                | "select"
                | "shift-left"
                | "shift-right-arithmetic"
                | "shift-right-logical"
                | "sign"
                | "stochastic-convert"
                | "subtract"
                | "xor"
        )
}

/// Elementwise functions that hardware computes off the main arithmetic units.
pub(crate) fn is_transcendental(opcode: &str) -> bool {
    matches!(
        opcode,
        "exponential"
            | "exponential-minus-one"
            | "log"
            | "log-plus-one"
            | "logistic"
            | "power"
            | "sqrt"
            | "rsqrt"
            | "cbrt"
            | "tanh"
            | "sine"
            | "cosine"
            | "tan"
            | "erf"
            | "atan2"
            | "sinh"
            | "cosh"
    )
}

/// Instructions that move no data: they name, bundle or order values.
pub(crate) fn is_free(opcode: &str) -> bool {
    matches!(
        opcode,
        "parameter"
            | "constant"
            | "get-tuple-element"
            | "bitcast"
            | "after-all"
            | "add-dependency"
            | "domain"
            | "opt-barrier"
            | "optimization-barrier"
            | "partition-id"
            | "replica-id"
            | "get-dimension-size"
            | "set-dimension-size"
    )
}

/// Communication between devices, without the suffix of its asynchronous halves.
pub(crate) fn is_collective(opcode: &str) -> bool {
    matches!(
        without_async_suffix(opcode),
        "all-reduce"
            | "all-gather"
            | "reduce-scatter"
            | "all-to-all"
            | "ragged-all-to-all"
            | "collective-permute"
            | "collective-broadcast"
            | "send"
            | "recv"
    )
}

/// `all-reduce` of `all-reduce-start`, `-update` or `-done`.
pub(crate) fn without_async_suffix(opcode: &str) -> &str {
    ["-start", "-done", "-update"]
        .iter()
        .find_map(|suffix| opcode.strip_suffix(suffix))
        .unwrap_or(opcode)
}

/// The second half of an asynchronous instruction, whose work its `-start` is charged with.
pub(crate) fn is_async_completion(opcode: &str) -> bool {
    opcode.ends_with("-done") || opcode.ends_with("-update")
}

/// A GPU or CPU library call that multiplies matrices.
pub(crate) fn is_matmul_target(target: &str) -> bool {
    matches!(target, "__cublas$gemm" | "__onednn$matmul")
        || target.starts_with("__cublas$lt$matmul")
        || target.starts_with("__cublas$lt$groupedMatmul")
}

/// A library call that convolves.
pub(crate) fn is_convolution_target(target: &str) -> bool {
    target.starts_with("__cudnn$conv") || target == "__onednn$convolution"
}

/// Calls that compute nothing: they reserve, place, name or reinterpret values.
pub(crate) fn is_bookkeeping(target: &str) -> bool {
    matches!(
        target,
        "AllocateBuffer"
            | "AssumeGatherIndicesInBound"
            | "ConcatBitcast"
            | "CreateBuffer"
            | "GlobalToLocalShape"
            | "LayoutConstraint"
            | "LocalToGlobalShape"
            | "MoveToDevice"
            | "MoveToHost"
            | "PadToStatic"
            | "Pin"
            | "PinToDevice"
            | "PinToDeviceSram"
            | "SPMDFullToShardShape"
            | "SPMDShardToFullShape"
            | "SetBound"
            | "Sharding"
            | "SliceToDynamic"
            | "Unpin"
            | "X64Combine"
            | "X64SplitHigh"
            | "X64SplitLow"
            | "annotate_device_placement"
    )
}
