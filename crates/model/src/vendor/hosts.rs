//! The meaning of host thread events: names of runtimes, compilers, input pipelines, and Python.
//!
//! Names are tried from the most specific meaning to the least: a name that fits two gets the
//! first.

use std::sync::LazyLock;

use regex::Regex;

use crate::activity::{Activity, CompilePhase, InputStage};
use crate::label::{Class, Direction, SliceKind};

use super::events::constant_pattern;

/// Kind, class and activity of a slice on a host thread.
pub(crate) fn host_event(name: &str) -> (SliceKind, Class, Activity) {
    if let Some(frame) = name.strip_prefix('$') {
        let activity = python_activity(frame);
        return (SliceKind::Python, activity.python_class(), activity);
    }
    if name.starts_with("end: ") || name.starts_with("ThreadpoolListener::") {
        return (SliceKind::Marker, Class::Marker, Activity::None);
    }
    let activity = host_activity(name);
    (SliceKind::Host, activity.class(), activity)
}

/// A Python frame: `file.py:LINE function`, or `module function` for a built-in.
fn python_activity(frame: &str) -> Activity {
    if PYTHON_WAIT.is_match(frame) {
        Activity::Blocked
    } else if COMPILE.is_match(frame) || PYTHON_COMPILE.is_match(frame) {
        Activity::Compile(compile_phase(frame))
    } else if INPUT.is_match(frame) || PYTHON_INPUT.is_match(frame) {
        Activity::Input(input_stage(frame))
    } else if PYTHON_TO_DEVICE.is_match(frame) {
        Activity::Transfer(Direction::HostToDevice)
    } else if PYTHON_TO_HOST.is_match(frame) {
        Activity::Transfer(Direction::DeviceToHost)
    } else if PYTHON_GARBAGE.is_match(frame) {
        Activity::GarbageCollection
    } else if frame.ends_with("time sleep") {
        Activity::Sleep
    } else if PYTHON_PROFILER.is_match(frame) {
        Activity::Profiler
    } else if is_checkpoint(frame) || PYTHON_CHECKPOINT.is_match(frame) {
        Activity::Checkpoint
    } else if PYTHON_DISPATCH.is_match(frame) {
        Activity::Dispatch
    } else {
        Activity::Python
    }
}

/// The prefix of time ranges in which Stepscope's package itself works or waits.
const OWN_TIME: &str = "stepscope: ";

/// XLA's names for what CUPTI itself takes on a thread (`CUpti_ActivityOverheadKind`). It has none for
/// kinds that came later: those are `<UNKNOWN>`.
const CUPTI_OVERHEAD: [&str; 3] = ["BUFFER_FLUSH", "INSTRUMENTATION", "RESOURCE"];

fn host_activity(name: &str) -> Activity {
    if name.starts_with(OWN_TIME) || CUPTI_OVERHEAD.contains(&name) {
        Activity::Profiler
    } else if WAITS_FOR_INPUT.is_match(name) {
        Activity::Input(InputStage::Wait)
    } else if WAIT.is_match(name) {
        Activity::Blocked
    } else if INPUT.is_match(name) {
        Activity::Input(input_stage(name))
    } else if COMPILE.is_match(name) || AUTOTUNE.is_match(name) {
        Activity::Compile(compile_phase(name))
    } else if TO_DEVICE.is_match(name) {
        Activity::Transfer(Direction::HostToDevice)
    } else if TO_HOST.is_match(name) {
        Activity::Transfer(Direction::DeviceToHost)
    } else if TRANSFER.is_match(name) {
        Activity::Transfer(Direction::Other)
    } else if name.contains("CollectGarbage") {
        Activity::GarbageCollection
    } else if DISPATCH.is_match(name) {
        Activity::Dispatch
    } else if is_checkpoint(name) {
        Activity::Checkpoint
    } else if RUNTIME.is_match(name) && !is_own_path(name) {
        Activity::Runtime
    } else {
        Activity::Other
    }
}

/// A path in lower case, as people name parts of their program: `data::augment`. Libraries name
/// their events the same way, but in namespaces that are known.
pub(super) fn is_own_path(name: &str) -> bool {
    OWN_PATH.is_match(name) && !LIBRARY_PATH.is_match(name)
}

/// `jax.checkpoint`, which recomputes, does not write checkpoints.
fn is_checkpoint(name: &str) -> bool {
    CHECKPOINT.is_match(name) && !name.contains("ad_checkpoint")
}

fn compile_phase(name: &str) -> CompilePhase {
    let phases: [(&Regex, CompilePhase); 6] = [
        (&CACHE, CompilePhase::Cache),
        (&TRACE, CompilePhase::Trace),
        (&LOWER, CompilePhase::Lower),
        (&AUTOTUNE, CompilePhase::Autotune),
        (&GENERATE, CompilePhase::Generate),
        (&OPTIMIZE, CompilePhase::Optimize),
    ];
    let found = phases.iter().find(|(pattern, _)| pattern.is_match(name));
    found.map_or(CompilePhase::Backend, |&(_, phase)| phase)
}

fn input_stage(name: &str) -> InputStage {
    let stages: [(&Regex, InputStage); 5] = [
        (&INPUT_WAIT, InputStage::Wait),
        (&INPUT_ENQUEUE, InputStage::Enqueue),
        (&INPUT_READ, InputStage::Read),
        (&INPUT_PREFETCH, InputStage::Prefetch),
        (&INPUT_PREPROCESS, InputStage::Preprocess),
    ];
    // tf.data names an iterator together with those that consume it: the last part is the stage
    // itself.
    let last = name.rsplit("::").next().unwrap_or(name);
    let text = if name.starts_with("Iterator::") {
        last
    } else {
        name
    };
    let found = stages.iter().find(|(pattern, _)| pattern.is_match(text));
    found.map_or(InputStage::Load, |&(_, stage)| stage)
}

/// The function that a JAX call dispatches: `PjitFunction(step)` is `step`, and so is
/// `PjitFunction(jit(step))`, a call of a function that was compiled ahead of time.
pub fn dispatched_function(name: &str) -> Option<&str> {
    // jaxlib 0.4.13 has the third.
    let called = ["PjitFunction(", "PmapFunction(", "JaxPmapFunction("];
    let rest = called.iter().find_map(|call| name.strip_prefix(call))?;
    let function = rest.strip_suffix(')')?;
    let compiled = function.strip_prefix("jit(");
    let compiled = compiled.and_then(|inner| inner.strip_suffix(')'));
    Some(compiled.unwrap_or(function))
}

/// An executable is started: `TfrtCpuExecutable::Execute` and the like.
pub(crate) fn is_execution(name: &str) -> bool {
    EXECUTION.is_match(name)
}

/// The function in the name of a compiler's pass: `HLO passes (jit_step)` is `step`.
pub fn compiled_function(name: &str) -> Option<&str> {
    let (_, rest) = name.rsplit_once("(jit_")?;
    rest.strip_suffix(')')
}

/// The persistent cache, which exists, is searched for an executable.
pub fn is_cache_read(name: &str) -> bool {
    CACHE_READ.is_match(name)
}

/// The program makes JAX forget what it compiled: `jax.clear_caches()`, or `step.clear_cache()`.
pub fn is_cache_clear(name: &str) -> bool {
    let function = name
        .strip_prefix('$')
        .and_then(|frame| frame.rsplit(' ').next());
    function.is_some_and(|function| matches!(function, "clear_caches" | "clear_cache"))
}

/// The function of a module: `jit_step` is `step`.
pub fn module_function(module: &str) -> &str {
    let rest = ["jit_", "pjit_", "pmap_"]
        .iter()
        .find_map(|prefix| module.strip_prefix(prefix));
    rest.unwrap_or(module)
}

/// Whether programs give what evaluates this name: `eval`, `jit_validate_step`, `test`.
pub fn is_evaluation(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| word.starts_with("eval") || word.starts_with("valid") || word == "test")
}

/// A function's name as names of modules have it, by which both are compared: letters, digits and `_`,
/// none of them at the end. `<lambda>` is `_lambda`; older versions of JAX wrote `_lambda_`.
pub fn plain_function(function: &str) -> String {
    let plain = |letter: char| {
        if letter.is_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    let plain: String = function.chars().map(plain).collect();
    plain.trim_end_matches('_').to_owned()
}

/// A request that a server handles.
pub fn is_request(name: &str) -> bool {
    // Functions of TensorFlow carry the word in their names.
    REQUEST.is_match(name)
        && !NO_REQUEST.is_match(name)
        && !is_batch(name)
        && !name.contains("__inference")
}

/// A batch of requests.
pub fn is_batch(name: &str) -> bool {
    BATCH.is_match(name)
}

/// Requests are batched.
pub fn is_batch_formation(name: &str) -> bool {
    BATCH_FORMATION.is_match(name)
}

macro_rules! patterns {
    ($($(#[$attribute:meta])* $name:ident = [$($part:literal),+ $(,)?];)*) => {$(
        $(#[$attribute])*
        static $name: LazyLock<Regex> = LazyLock::new(|| constant_pattern(concat!($($part),+)));
    )*};
}

patterns! {
    /// The host waits for the device, a lock, or other participants.
    WAIT = [
        r"^Wait\b|::Await\b|\(wait for completion\)|^Rendezvous\b|^InvokeRendezvous|WaitUntil|",
        r"BlockHostUntil|block_until_ready|BlockUntilReady|Wait for |AwaitDone|",
        r"(?i:(cu|cuda|hip)(Stream|Event|Device|Ctx)Synchronize)|dependency-wait|",
        r"^Acquire semaphore|SemaphoreAcquire",
    ];
    /// Annotations of people who wait for input.
    WAITS_FOR_INPUT = [r"(?i)\bwait(ing|s)?[ _](for|on)[ _](the[ _])?((next|new)[ _])?(data|batch|input|sample)"];
    /// Python frames that only wait.
    PYTHON_WAIT = [
        r"block_until_ready| effects_barrier$|^threading\.py:\d+ (wait|acquire|join)|",
        r"^_thread (acquire|lock)|^queue get$|",
        // C methods have no module.
        // `get` is that of a `SimpleQueue`, in which workers of a pool wait for what to do.
        r"^<unknown> (acquire|wait|join|get|poll|select|accept|recv|recv_into|recvfrom)$",
    ];
    /// The host waits for or prepares input: tf.data, grain, and common names of loaders.
    INPUT = [
        r"^Iterator::|IteratorGetNext|(?i)data[ _:]{0,2}load|load[ _:]{0,2}(data|batch)|",
        r"(next|get|fetch|make|prepare|read)[ _]?batch|input[ _]?pipeline|prefetch|",
        // Not the passes over them, such as `infeed-decomposer` and `infeed_flattener`.
        r"(?-i:Infeed|INFEED)|[ _]infeed|^infeed$|infeed[ _](enqueue|queue|transfer|buffer|thread)|",
        r"\bgrain\b|data[ _]?wait|dataset\.py|^next\(|iterator_ops\.py|\bdata_iter|",
        // Annotations of one word. Others, such as `batch` and `fetch`, are also names of steps and reads.
        r"^(load|loading|data|inputs?)$|(next|get|fetch|make|prepare|read)[ _]?(data|inputs?|samples?)$",
    ];
    /// Frames that return the next element: what waits, reads, or computes inside is input. A queue
    /// read by the driving thread is filled by another thread.
    PYTHON_INPUT = [
        r" __next__$|^builtins next$|^queues?\.py:\d+ get$|^dataloader\.py:\d+ |",
        // NumPy reads a file, and pandas a table.
        r"^_?npyio(_impl)?\.py:\d+ (load|loadtxt|genfromtxt|fromfile|__getitem__)$|",
        r"^(readers|parquet|feather_format)\.py:\d+ read_[a-z]+$|",
        r"(?i) (next|get)_?(item|element|example)s?$|",
        // Generators have the frame of their function.
        r"(?i)[ _](mini_?)?batches$|[ _](data|batch|train|input)_?(loader|iter|iterator|gen|generator|stream)$",
    ];
    INPUT_WAIT = [r"^queues?\.py|GetNext|__next__|^\$?builtins next$|^next\(|(?i)(data|input)[ _]?wait|_next_data"];
    INPUT_ENQUEUE = [r"(?i)infeed"];
    INPUT_READ = [
        r"(?i)tfrecord|textline|fixedlengthrecord|interleave|array_?record|sstable|\bread|file",
    ];
    INPUT_PREFETCH = [r"(?i)prefetch|^ModelDataset|^Model$"];
    INPUT_PREPROCESS = [
        r"(?i)map|[A-Za-z]batch|^batch|shuffle|filter|repeat|zip|concat|cache|take|skip|window|",
        r"preprocess|augment|decode|tokeni[sz]e|transform|collate|options|rebatch|generator",
    ];
    /// Compilation, from Python to machine code.
    COMPILE = [
        r"XlaCompile|backend_compile|::Compile\b|::Compile\(|CompileAndLoad|RunBackend|RunHloPasses|",
        r"HloPassPipeline|^HloPass|^HLO passes|LLVM|llvm::|BuildExecutable|compile_or_get_cached|",
        r"CompileTo|lower_jaxpr_to_module|^Compile([ -ce-~]|$)|lower_sharding_computation|trace_to_jaxpr|",
        r"^XLA::TPU |CompileCpuExecutable|PTX->CUBIN",
    ];
    /// JAX frames that compile.
    PYTHON_COMPILE = [
        r"^pjit\.py:\d+ (_trace_for_jit|_infer_params_internal)|",
        r"^pxla\.py:\d+ (lower_sharding_computation|_cached_lowering_to_hlo)|",
        r"^compiler\.py:\d+ (_cache_read|_cache_write|_compile_and_write_cache)|",
        r"^compilation_cache\.py:\d+ (get|put)_executable",
    ];
    CACHE = [
        r"compile_or_get_cached|_cache_read|_cache_write|(get|put)_executable|",
        r"[Cc]ompilation[ _]?[Cc]ache",
    ];
    // JAX calls `_cache_read` without a cache too; the file's own `get` is called where there is one.
    CACHE_READ = [r"_cache\.py:\d+ get$"];
    TRACE = [r"trace_to_jaxpr|_trace_for_jit|_infer_params"];
    LOWER = [r"lower_sharding_computation|lower_jaxpr|_cached_lowering"];
    /// Of XLA. Python files and functions of this name belong to programs that tune themselves.
    AUTOTUNE = [r"(?i)autotun|^config-assigner$"];
    GENERATE = [
        r"LLVM|llvm::|RunBackend|run backend|code generat|FusionCompiler|JitCompiler|CompileTo|",
        r"XLA::TPU emitting|[Pp]tx|PTX|[Cc]ubin|CUBIN|[Hh]saco|Codegen",
    ];
    OPTIMIZE = [
        r"RunHloPasses|HloPass|^HLO passes|run hlo passes|XLA::TPU Phase|HLO PostOptimization|HLO optimization|",
        r"lowering and optimization|^XLA::TPU [ -~]*(HloOptimize|fusion pass|elimination)$",
    ];
    /// Transfers as seen by the host, by direction if the name contains it.
    TO_DEVICE = [
        r"TransferToDevice|TransferH2D|BufferFromHostBuffer|LinearizeHostBuffer|^H2D\b|",
        r"^DevicePut|device_put|^shard_args|copy_array_to_devices|CopyToDevice|",
        r"^(Xla)?Linearize|(?i)^(cu|hip|cuda)memcpyh(2|to)d",
    ];
    TO_HOST = [
        r"TransferFromDevice|TransferD2H|ToLiteral|^D2H\b|^np\.asarray|device_get|",
        r"copy_to_host|^(Xla)?Delinearize|(?i)^(cu|hip|cuda)memcpyd(2|to)h",
    ];
    TRANSFER = [r"(?i)^(cu|hip|cuda)memcpy|^PCIe/Memcpy|CopyToMemory"];
    PYTHON_TO_DEVICE = [
        r" (batched_)?device_put$|^pxla\.py:\d+ shard_args$|^array\.py:\d+ shard_device_array$",
    ];
    PYTHON_TO_HOST = [
        r"^array\.py:\d+ (_value|__array__|__float__|__int__|__bool__|item|tolist)$| device_get$",
    ];
    PYTHON_GARBAGE = [r"^gc collect$|_gc_callback$|^gc\.py:"];
    PYTHON_PROFILER = [
        r"^profiler\.py:\d+ (start_trace|stop_trace|begin_step|end_step|_close_window)$|",
        r"^capture_session\.py:\d+ (start|stop|wait_for|_finish|_collect)$",
    ];
    PYTHON_DISPATCH = [r"^pjit\.py:\d+ (cache_miss|_run_python_pjit)|^dispatch\.py:\d+ apply_primitive"];
    CHECKPOINT = [r"(?i)checkpoint|\borbax"];
    /// Arrays are written to files: what a loop keeps of its training.
    PYTHON_CHECKPOINT = [
        r"^_?npyio(_impl)?\.py:\d+ (save|savez|savez_compressed|_savez)$|^posix (fsync|fdatasync)$|",
        r"^_pickle dump$|^serialization\.py:\d+ (save|save_file|to_bytes|msgpack_serialize)$",
    ];
    /// A program is handed to a device.
    DISPATCH = [
        r"^PjitFunction|^ExecuteReplicated|LoadedExecutable::Execute|^PJRT_LoadedExecutable_Execute|",
        r"EnqueueProgram|EnqueueContinuationProgram|EnqueueExecution|tpu::System::Execute|",
        r"(?i:(cu|cuda|hip)(Ext)?(Module)?(Graph)?Launch)|ExecuteThunks|:XLA GPU module$|",
        r"^ParseArguments|^Handle (in|out)puts|AllocateOutputBuffer|CreateOutputs|^Thunks::|",
        r"LaunchOnDevice|MakeOutputBuffers|^Build buffer allocations|ScheduleWork",
    ];
    EXECUTION = [r"(Executable|Executor)::Execute"];
    /// Names that only libraries give their events.
    RUNTIME = [
        r"::|^(Tfrt|Pj[Rr]t|Xla|XLA|JAX|TPU|PJRT|Thunk|cu[A-Z]|cuda[A-Z]|hip[A-Z]|nccl|LSRA|Executor)|",
        r"^(RecordUsage|Allocate|Release|Transpose|MapDmaBuffer|ReadSyncFlag|CompleteCallbacks)|",
        r"^(RemoteCall|Rendezvous|Memory(De)?[Aa]llocation|LoadProgram|py_xla)|Callback",
    ];
    OWN_PATH = [r"^[a-z][a-z0-9_]*(::[a-z0-9_]+)+$"];
    /// Namespaces of libraries that name events in lower case.
    LIBRARY_PATH = [
        r"^(absl|at|aten|autograd|c10|c10d|command_buffer|cub|cublas|cudnn|custom_call|cutlass|",
        r"deepsea|eigen|fbgemm|ffi|gloo|grpc|hip|hlo|ifrt|inductor|jax|jaxlib|llvm|megascale|mkldnn|",
        r"mlir|nanobind|nccl|onednn|pathways|pjrt|prims|profiler|proto2|pybind11|quantized|rccl|rocm|",
        r"se|std|stream_executor|tensorflow|tf|thrust|thunk|torch[a-z_]*|tpu|triton|tsl|xla|xnn|ynn)::",
    ];
    /// Roots of requests: of servers, and common names in programs.
    REQUEST = [
        r"^(BatchingSessionRun|SessionRun|RunGraph|TfrtModelRun|ServingModelRun|ModelServerRequest)|",
        r"(?i)(^|[ _./:-])(requests?|inference|generate|serve|serving|predict)($|[ _./:(#-])",
    ];
    /// Requests for memory and copies, and handles of messages between processes.
    NO_REQUEST = [
        r"(?i)(buffer|dma|memory|alloc|page|copy|io)[ _-]?requests?|requests?[ _.:]*wait",
    ];
    BATCH = [r"(^|::)ProcessBatch|(?i)^(process|run|execute)[ _]batch|^batch[ _](run|execution)"];
    BATCH_FORMATION = [r"^ConcatInputTensors|(?i)^(batch[ _]?formation|form[ _]?batch|collate)"];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(name: &str) -> Activity {
        host_event(name).2
    }

    #[test]
    fn classes_follow_from_activities() {
        let class = |name| host_event(name).1;
        assert_eq!(class("Wait: pending_threads=1/2"), Class::Wait);
        assert_eq!(
            class("ThunkExecutor::Execute (wait for completion)"),
            Class::Wait
        );
        assert_eq!(class("CommonPjRtBuffer::Await"), Class::Wait);
        assert_eq!(class("data_loading"), Class::Input);
        assert_eq!(class("Iterator::Prefetch::Map"), Class::Input);
        assert_eq!(class("PjitFunction(step)"), Class::Host);
        assert_eq!(class("$array.py:631 block_until_ready"), Class::Wait);
        assert_eq!(
            class("$compiler.py:300 backend_compile_and_load"),
            Class::Compile
        );
        assert_eq!(host_event("end: dot.1").0, SliceKind::Marker);
    }

    #[test]
    fn what_threads_do() {
        use Activity::*;
        for (name, expected) in [
            ("PjitFunction(step)", Dispatch),
            ("PjRtStreamExecutorLoadedExecutable::Execute", Dispatch),
            ("cuLaunchKernel", Dispatch),
            ("hipExtModuleLaunchKernel", Dispatch),
            ("Acquire semaphore", Blocked),
            ("Wait for data", Input(InputStage::Wait)),
            ("Wait for device", Blocked),
            ("$autotune_blocks.py:40 main", Python),
            ("AutotunerPass", Compile(CompilePhase::Autotune)),
            ("hipStreamSynchronize", Blocked),
            ("$threading.py:324 wait", Blocked),
            ("np.asarray(jax.Array)", Transfer(Direction::DeviceToHost)),
            ("DevicePutWithSharding", Transfer(Direction::HostToDevice)),
            ("$api.py:2480 device_put", Transfer(Direction::HostToDevice)),
            (
                "CopyToDeviceHelper::async_copy_to_device",
                Transfer(Direction::HostToDevice),
            ),
            ("hipMemcpyDtoDAsync", Transfer(Direction::Other)),
            ("$array.py:630 _value", Transfer(Direction::DeviceToHost)),
            ("hipMemcpyHtoDAsync", Transfer(Direction::HostToDevice)),
            ("PythonRefManager::CollectGarbage", GarbageCollection),
            ("$gc collect", GarbageCollection),
            ("$time sleep", Sleep),
            ("$profiler.py:271 stop_trace", Profiler),
            ("$profiler.py:385 __init__", Python),
            ("$profiler.py:207 end_step", Profiler),
            ("$capture_session.py:226 wait_for", Profiler),
            ("stepscope: wait", Profiler),
            ("stepscope: calibrate", Profiler),
            ("stepscope", Other),
            ("$train.py:12 main", Python),
            ("$ad_checkpoint.py:10 remat", Python),
            ("$checkpointer.py:60 save", Checkpoint),
            ("ThunkExecutor::Execute", Runtime),
            ("aten::mm", Runtime),
            ("command_buffer::execute", Runtime),
            ("my::thing", Other),
            ("load", Input(InputStage::Load)),
            ("$train.py:32 batches", Input(InputStage::Load)),
            ("$train.py:32 train_loader", Input(InputStage::Load)),
            ("$train.py:32 batch", Python),
            ("get_data", Input(InputStage::Load)),
            ("batch", Other),
            ("load_weights", Other),
            ("metadata", Other),
            ("CompiledFunction", Other),
            ("CompiledFunctionBackward", Other),
            ("forward_pass", Other),
            ("to_device", Other),
        ] {
            assert_eq!(activity(name), expected, "{name}");
        }
    }

    #[test]
    fn phases_of_a_compilation() {
        for (name, expected) in [
            ("$partial_eval.py:2268 trace_to_jaxpr", CompilePhase::Trace),
            ("trace_to_jaxpr_dynamic", CompilePhase::Trace),
            ("lower_sharding_computation", CompilePhase::Lower),
            ("backend_compile_and_load", CompilePhase::Backend),
            ("$compiler.py:769 _cache_read", CompilePhase::Cache),
            ("PjRtCpuClient::Compile", CompilePhase::Backend),
            ("CpuCompiler::RunBackend", CompilePhase::Generate),
            (
                "HLO passes through layout assignment (jit_f)",
                CompilePhase::Optimize,
            ),
            ("XLA::TPU run hlo passes", CompilePhase::Optimize),
            ("XLA::TPU run backend", CompilePhase::Generate),
            ("GemmFusionAutotuner", CompilePhase::Autotune),
        ] {
            assert_eq!(activity(name), Activity::Compile(expected), "{name}");
        }
    }

    #[test]
    fn stages_of_an_input_pipeline() {
        for (name, expected) in [
            ("Iterator::Prefetch::Map", InputStage::Preprocess),
            ("Iterator::Prefetch", InputStage::Prefetch),
            ("Iterator::Prefetch::ParallelInterleaveV4", InputStage::Read),
            ("Iterator::Batch::TFRecord", InputStage::Read),
            ("IteratorGetNextOp::DoCompute", InputStage::Wait),
            ("next(iterator)", InputStage::Wait),
            ("InfeedEnqueueTuple", InputStage::Enqueue),
            ("data_loading", InputStage::Load),
            ("fetch_batch", InputStage::Load),
            ("load::data", InputStage::Load),
            ("$_npyio_impl.py:239 __getitem__", InputStage::Load),
            ("$readers.py:912 read_csv", InputStage::Read),
            ("$dataloader.py:630 __next__", InputStage::Wait),
            ("$builtins next", InputStage::Wait),
        ] {
            assert_eq!(activity(name), Activity::Input(expected), "{name}");
        }
    }

    #[test]
    fn passes_over_infeeds_are_no_input() {
        for name in [
            "infeed-decomposer",
            "infeed-token-propagation",
            "infeed_flattener",
        ] {
            assert_eq!(activity(name), Activity::Other, "{name}");
        }
        for name in ["TransferLiteralToInfeed", "enqueue_infeed", "infeed queue"] {
            let expected = Activity::Input(InputStage::Enqueue);
            assert_eq!(activity(name), expected, "{name}");
        }
        let phase = activity("XLA::TPU main fusion pass");
        assert_eq!(phase, Activity::Compile(CompilePhase::Optimize));
    }

    #[test]
    fn requests_batches_and_functions() {
        for name in [
            "inference_request",
            "request",
            "BatchingSessionRun",
            "ModelServerRequest_1",
            "serve",
            "generate",
            "handle request 7",
            "predict_batch",
            "llm.generate",
        ] {
            assert!(is_request(name), "{name}");
        }
        for name in [
            "process_batch",
            "ProcessBatch",
            "OrbaxServing::ProcessBatch",
        ] {
            assert!(is_batch(name) && !is_request(name), "{name}");
        }
        for name in [
            "train",
            "batch_formation",
            "data_loading",
            "regenerated",
            "observed",
            "RunProgramRequest",
            "EnqueueRequestLocked",
            "n__inference_next_func_441",
            "Activity Buffer Request",
            "Request wait()",
            "dma_request",
        ] {
            assert!(!is_request(name) && !is_batch(name), "{name}");
        }
        assert_eq!(dispatched_function("PjitFunction(step)"), Some("step"));
        assert_eq!(dispatched_function("PjitFunction(jit(step))"), Some("step"));
        assert_eq!(compiled_function("simplification (jit_step)"), Some("step"));
        assert_eq!(module_function("jit_step"), "step");
        assert_eq!(plain_function("<lambda>"), "_lambda");
        assert_eq!(plain_function(module_function("jit__lambda_")), "_lambda");
        assert_eq!(plain_function("train_step_"), "train_step");
        assert_eq!(plain_function("_"), "");
    }
}
