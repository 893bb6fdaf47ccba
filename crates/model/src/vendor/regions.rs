//! Regions of host threads: the names of their slices, and who opened them: the program by an
//! annotation, Python by a call, or the runtime.

use std::sync::LazyLock;

use regex::Regex;

use super::events::constant_pattern;
use super::hosts::is_own_path;
use crate::activity::Activity;
use crate::label::SliceKind;

/// Who opened a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegionKind {
    /// The program: `TraceAnnotation`, `profile_scope`, NVTX, a TensorFlow op.
    Annotation,
    /// Python: a called function.
    Python,
    /// The runtime, the compiler, the driver, or a library.
    Runtime,
}

impl RegionKind {
    /// The word on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Annotation => "annotation",
            Self::Python => "python",
            Self::Runtime => "runtime",
        }
    }
}

/// The name of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region<'a> {
    /// Who opened it.
    pub kind: RegionKind,
    /// Its name: an annotation without its arguments, or a function.
    pub name: &'a str,
    /// For a function its file and line, or its module; otherwise empty.
    pub source: &'a str,
}

/// The region of host thread slices with this name; `None` for markers and for anything that is not
/// a slice of a host thread.
pub fn region(name: &str, kind: SliceKind, activity: Activity) -> Option<Region<'_>> {
    match kind {
        SliceKind::Python => Some(function(name)),
        SliceKind::Host | SliceKind::Step => {
            let name = without_arguments(name);
            let kind = if kind == SliceKind::Host && is_runtime(name, activity) {
                RegionKind::Runtime
            } else {
                RegionKind::Annotation
            };
            Some(Region {
                kind,
                name,
                source: "",
            })
        }
        _ => None,
    }
}

/// `$train.py:31 main` is `main` of `train.py:31`, `$builtins len` is `len` of `builtins`.
fn function(name: &str) -> Region<'_> {
    let frame = name.strip_prefix('$').unwrap_or(name);
    let (source, name) = match frame.rsplit_once(' ') {
        Some((source, name)) if !name.is_empty() => (source, name),
        _ => ("", frame),
    };
    Region {
        kind: RegionKind::Python,
        name,
        source: if source == "<unknown>" { "" } else { source },
    }
}

/// `load#batch=3,size=8#` is `load`: TraceMe appends arguments in this form.
fn without_arguments(name: &str) -> &str {
    let split = || {
        let (head, arguments) = name.strip_suffix('#')?.rsplit_once('#')?;
        (arguments.contains('=') && !head.is_empty()).then_some(head)
    };
    split().unwrap_or(name)
}

/// Whether the name is given by runtimes, compilers, drivers, or libraries. Lowercase words are
/// mostly the program's own, even if they sound like the runtime's, so only known library names
/// among them count.
fn is_runtime(name: &str, activity: Activity) -> bool {
    if OWN_WORDS.is_match(name) {
        return LIBRARY_WORDS.is_match(name);
    }
    if is_own_path(name) {
        return false;
    }
    match activity {
        Activity::Runtime
        | Activity::Dispatch
        | Activity::Blocked
        | Activity::Compile(_)
        | Activity::Transfer(_)
        | Activity::GarbageCollection
        | Activity::Profiler => true,
        _ => LIBRARY_NAMES.is_match(name),
    }
}

macro_rules! patterns {
    ($($(#[$attribute:meta])* $name:ident = [$($part:literal),+ $(,)?];)*) => {$(
        $(#[$attribute])*
        static $name: LazyLock<Regex> = LazyLock::new(|| constant_pattern(concat!($($part),+)));
    )*};
}

patterns! {
    /// Words in lower case, as people write names: `forward_pass`, `layer_3`, `eval/loss`.
    OWN_WORDS = [r"^[a-z][a-z0-9]*([ _./:-]?[a-z0-9]+)*$"];
    /// Functions that JAX annotates itself, calls of drivers, and runtimes' own words.
    LIBRARY_WORDS = [
        r"^(batched_)?copy_array_to_devices|^batched_device_put$|^shard_args$|_shard_arg_fallback$|",
        r"^backend_compile|^compile_or_get_cached$|^trace_to_(sub)?jaxpr|^lower_jaxpr_to_|",
        r"^lower_sharding_computation$|^lower_parallel_callable$|^apply_primitive$|",
        r"^xla_primitive_callable$|^pickle_util\.|^dependency-wait|^stablehlo-|^hlo-|^xla-",
    ];
    /// Names that only libraries give, whatever they do.
    LIBRARY_NAMES = [
        r"::|^(cu|cuda|hip|nccl|rccl|roctx|hsa_)[A-Z]|^Mem(cpy|set)[A-Z0-9]|^Memory(De)?[Aa]llocation|",
        r"^(Copy|Load)Programs?[A-Z]|^(Actual|Do|Complete)[A-Z][a-z]+|^Parallel(Transpose|For)|",
        r"^(De)?[Ll]inearize|Semaphore|semaphore$|^Resolve constant globals|^TransposePlan|",
        r"^Handle (in|out)put|^(H2D|D2H|D2D|PCIe)|^ArrayImpl\.|^np\.asarray\(|^jax\.Array|^<UNKNOWN>$|^IteratorGetNext",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendor::hosts::host_event;

    fn region_of(name: &str) -> (RegionKind, &str, &str) {
        let (kind, _, activity) = host_event(name);
        let found = region(name, kind, activity).unwrap_or_else(|| panic!("{name} is a region"));
        (found.kind, found.name, found.source)
    }

    #[test]
    fn functions_have_names_and_places() {
        use RegionKind::Python;
        for (frame, name, source) in [
            ("$train.py:31 main", "main", "train.py:31"),
            ("$builtins isinstance", "isinstance", "builtins"),
            ("$<unknown> get", "get", ""),
            ("$<string>:1 <lambda>", "<lambda>", "<string>:1"),
            ("$my file.py:7 run", "run", "my file.py:7"),
            ("$main", "main", ""),
            ("$", "", ""),
        ] {
            assert_eq!(region_of(frame), (Python, name, source), "{frame}");
        }
    }

    #[test]
    fn arguments_behind_a_name_are_no_part_of_it() {
        for (name, expected) in [
            ("load#batch=3,size=8#", "load"),
            ("step#3#a=1#", "step#3"),
            ("C#", "C#"),
            ("a#b#", "a#b#"),
            ("#a=1#", "#a=1#"),
        ] {
            assert_eq!(without_arguments(name), expected, "{name}");
        }
    }

    #[test]
    fn people_and_runtimes_name_differently() {
        for name in [
            "data_loading",
            "forward_pass",
            "layer_12",
            "ForwardPass",
            "Train Epoch 3",
            "eval/loss",
            "device_put",
            "block_until_ready",
            "prefetch",
            "compile",
            "checkpoint_save",
            "layers[3]",
            "dense_1/MatMul:MatMul",
            "load#batch=3#",
            "my::thing",
            "data::augment_2::crop",
        ] {
            assert_eq!(region_of(name).0, RegionKind::Annotation, "{name}");
        }
        for name in [
            "PjitFunction(step)",
            "CommonPjRtBuffer::Await",
            "Wait for donation holds",
            "np.asarray(jax.Array)",
            "backend_compile_and_load",
            "trace_to_jaxpr_dynamic",
            "batched_copy_array_to_devices_with_sharding: assemble device lists",
            "cuLaunchKernel",
            "hipModuleLaunchKernel",
            "MemcpyH2D",
            "MemoryDeallocation",
            "Iterator::Prefetch::Map",
            "aten::mm",
            "autograd::engine::evaluate_function",
            "ExecutorPropagateOutputs",
            "DoEnqueueProgram",
            "Release semaphore",
            "H2D Dispatch",
            "[0] CommonPjRtLoadedExecutable::Execute (jit_loss)",
            "RecordUsage",
            "DevicePutWithSharding",
        ] {
            assert_eq!(region_of(name).0, RegionKind::Runtime, "{name}");
        }
    }

    #[test]
    fn markers_are_no_regions() {
        for name in ["end: dot.1", "ThreadpoolListener::Record"] {
            let (kind, _, activity) = host_event(name);
            assert_eq!(region(name, kind, activity), None, "{name}");
        }
    }
}
