//! How to record what a capture lacks, in the words of the framework that it is of: a line of code, or
//! a sentence. Empty where we know none.

use stepscope_model::{Framework, Session};

/// Marks steps.
pub(crate) fn steps(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "with jax.profiler.StepTraceAnnotation(\"train\", step_num=step):",
        Framework::TensorFlow => {
            "with tf.profiler.experimental.Trace(\"train\", step_num=step, _r=1):"
        }
        Framework::PyTorch => "profiler.step()    # of torch.profiler, after each step",
        Framework::Other => "",
    }
}

/// Makes steps as long as their work.
pub(crate) fn waiting_for_steps(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => {
            "Call `jax.block_until_ready(...)` on the results within each annotated step."
        }
        Framework::PyTorch => "Call `torch.cuda.synchronize()` within each step.",
        Framework::TensorFlow | Framework::Other => {
            "Wait for the results of each step before it ends."
        }
    }
}

/// Gives ops a name stack.
pub(crate) fn scope(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "with jax.named_scope(\"layer_0\"):",
        Framework::TensorFlow => "with tf.name_scope(\"layer_0\"):",
        Framework::PyTorch => "with torch.profiler.record_function(\"layer_0\"):",
        Framework::Other => "",
    }
}

/// Gives ops their lines of the source.
pub(crate) fn source_lines(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "jax.config.update(\"jax_include_full_tracebacks_in_locations\", True)",
        Framework::PyTorch => "torch.profiler.profile(with_stack=True)",
        Framework::TensorFlow | Framework::Other => "",
    }
}

/// Names what the host does: `text` is what stands in the brackets, such as `"data_loading"`.
pub(crate) fn region(session: &Session, text: &str) -> String {
    match session.framework() {
        Framework::Jax => format!("with jax.profiler.TraceAnnotation({text}):"),
        Framework::TensorFlow => format!("with tf.profiler.experimental.Trace({text}):"),
        // It takes a name only.
        Framework::PyTorch => {
            let name = text.split(',').next().unwrap_or(text);
            format!("with torch.profiler.record_function({name}):")
        }
        Framework::Other => String::new(),
    }
}

/// The same with what is named behind it, such as ` batch = next(iterator)`.
pub(crate) fn region_of(session: &Session, text: &str, body: &str) -> String {
    match region(session, text) {
        none if none.is_empty() => none,
        line => format!("{line}{body}"),
    }
}

/// Records threads of the host.
pub(crate) fn host_threads(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "options.host_tracer_level = 2",
        Framework::TensorFlow => {
            "options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)"
        }
        Framework::PyTorch | Framework::Other => "",
    }
}

/// Why nothing is said of threads, with how to record them.
pub(crate) fn needs_host_threads(session: &Session) -> String {
    match host_threads(session) {
        "" => "No thread of a host was recorded.".to_owned(),
        line => format!("No thread of a host was recorded: {line}"),
    }
}

/// Records frames of Python.
pub(crate) fn python_frames(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "options.python_tracer_level = 1",
        Framework::TensorFlow => {
            "options = tf.profiler.experimental.ProfilerOptions(python_tracer_level=1)"
        }
        Framework::PyTorch => "torch.profiler.profile(with_stack=True)",
        Framework::Other => "",
    }
}

/// Records what threads do that drive devices, in a sentence.
pub(crate) fn driving_threads(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => {
            "`options.host_tracer_level = 2` and `options.python_tracer_level = 1` of \
             `jax.profiler.ProfileOptions` record what they do."
        }
        Framework::TensorFlow => {
            "`host_tracer_level=2` and `python_tracer_level=1` of \
             `tf.profiler.experimental.ProfilerOptions` record what they do."
        }
        Framework::PyTorch => "`with_stack=True` of `torch.profiler.profile` records Python.",
        Framework::Other => "",
    }
}

/// Keeps programs in the profile, in a sentence.
pub(crate) fn programs(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "Programs are recorded by default; keep `enable_hlo_proto` on.",
        _ => "",
    }
}

/// Records who holds memory.
pub(crate) fn memory_snapshot(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "jax.profiler.save_device_memory_profile(\"memory.prof\")",
        _ => "",
    }
}

/// Why nothing is said of steps, with how to record them.
pub(crate) fn needs_steps(session: &Session) -> String {
    match steps(session) {
        "" => "Needs steps, and none were recorded.".to_owned(),
        line => format!("Needs steps: {line}"),
    }
}
