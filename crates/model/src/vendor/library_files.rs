//! Files and functions of Python's own library, JAX and what is built on it, as frames name them.

use std::sync::LazyLock;

use regex::Regex;

use super::events::constant_pattern;

/// A frame of Python's own library or of JAX: it says how something is done, not which code needs
/// it.
pub(crate) fn is_library_frame(name: &str) -> bool {
    LIBRARY_FRAME.is_match(name.trim_start_matches('$'))
}

/// Flax NNX takes modules apart or puts them together, as `nnx.jit` does in each call.
pub fn is_nnx_split(frame: &str) -> bool {
    NNX.is_match(frame.trim_start_matches('$'))
}

/// Files of Python's library, JAX, NumPy, and the like, whose names a program is unlikely to give its own.
static LIBRARY_FRAME: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"^(threading|queue|queues|_base|selectors|socket|ssl|connection|contextlib|functools|inspect|subprocess|",
        r"asyncio|base_events|events|tasks|futures|thread|process|pool|synchronize|util|pathlib|",
        r"io|codecs|tempfile|shutil|json|decoder|encoder|copy|random|typing|abc|dataclasses|enum|",
        r"traceback_util|source_info_util|api|api_util|pjit|pxla|array|core|dispatch|profiler|",
        r"compiler|compilation_cache|xla_bridge|partial_eval|ad|batching|mlir|lax|ufuncs|",
        r"array_methods|array_creation|lax_numpy|reductions|indexing|prng|linear_util|tree_util|",
        r"dtypes|basearray|config|stages|numeric|fromnumeric|_methods|format|npyio|_\w+_impl|",
        r"numerictypes|shape_base|function_base|stride_tricks|Image(Chops|Draw|Enhance|File|Filter|Ops)?|",
        r"serialization|tensor|module|_tensor|autograd|callback|io_callback|",
        r"custom_derivatives|custom_batching|ufunc_api|ad_checkpoint|deprecations|functions|special|",
        r"setops|einsum|vectorize|__init__|weakref|gc|slicing|conditionals|control_flow|convolution|",
        r"activations|initializers|sharding_impls|named_sharding|scatter_gather|array_constructors|",
        r"tensor_contractions|abstract_arrays|ad_util|buffer_callback|cache_key|checkify|compute_on|",
        r"custom_api_util|custom_partitioning|einshape|eval_jaxpr|flatten_util|flattree|hashable_array|hijax|",
        r"index_tricks|jaxpr_util|lax_reference|literals|lru_cache|mesh_utils|op_shardings|pallas_call|",
        r"partition_spec|philox\dx32|pickle_util|pmap|pretty_printer|qdwh|scalar_types|shard_map|sourcemap|",
        r"stateful_rng|thread_map|threefry\dx32|tpu_custom_call|window_functions|windowed_reductions|",
        r"xla_metadata|xla_metadata_lib|",
        // Of Python.
        r"ast|_local|locks|runners|selector_events|streams|taskgroups|timeouts|unix_events|",
        // Of Equinox, Flax and Optax.
        r"_ad|_better_abstract|_caches|_compile_utils|_filters|_jit|_module|_pretty_print|_tree|filterlib|",
        r"graphlib|pytreelib|rnglib|statelib|variablelib|_accumulating|_alias|_chain|_classification|",
        r"_combining|_masking|",
        // Of Orbax and Grain.
        r"async_checkpointer|asyncio_utils|atomicity|base_pytree_checkpoint_handler|",
        r"composite_checkpoint_handler|jax_array_handlers|ocdbt_utils|pytree_checkpoint_handler|",
        r"pytree_checkpointer|tensorstore_utils|type_handlers|grain_pool|lazy_dataset|",
        r"multiprocess_prefetch|process_prefetch)\.py:|",
        // `jax.tree`, whose file has a name that programs give their own.
        r"^tree\.py:\d+ (all|broadcast|flatten(_with_path)?|leaves(_with_path)?|map(_with_path)?|reduce|",
        r"reduce_associative|structure|transpose|unflatten)$",
    ))
});

/// What `nnx.jit` and other transformations of Flax NNX do around the function.
static NNX: LazyLock<Regex> = LazyLock::new(|| {
    constant_pattern(concat!(
        r"^(extract\.py:\d+ (to|from)_tree|graphlib\.py:|",
        r"compilation\.py:\d+ (_jit_(split|merge)_fn|_get_pure_args_kwargs|_process_out))",
    ))
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_libraries_are_known() {
        assert!(is_library_frame("$tree.py:116 map"));
        assert!(!is_library_frame("$tree.py:9 grow"), "a program's own");
        assert!(is_nnx_split("$extract.py:338 to_tree"));
        assert!(!is_nnx_split("$extract.py:12 features"));
    }
}
