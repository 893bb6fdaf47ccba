//! How to record what a capture lacks, for the framework that made it: a line of code or a sentence.
//! Empty if there is no advice for the framework.

use stepscope_model::{Framework, Session};

/// Marks steps.
pub(crate) fn steps(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "with jax.profiler.StepTraceAnnotation(\"train\", step_num=step):",
        Framework::TensorFlow => {
            "with tf.profiler.experimental.Trace(\"train\", step_num=step, _r=1):"
        }
        Framework::PyTorch => "profiler.step()    # torch.profiler: call after each step",
        Framework::Other => "",
    }
}

/// Makes each step last as long as its work.
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

/// Records the end of the last step's work.
pub(crate) fn last_result(session: &Session) -> String {
    format!(
        "Wait for the last result before the profiler stops{}, and record a few more steps.",
        match session.framework() {
            Framework::Jax => " (`jax.block_until_ready`)",
            Framework::PyTorch => " (`torch.cuda.synchronize`)",
            Framework::TensorFlow | Framework::Other => "",
        }
    )
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

/// Gives ops their source lines.
pub(crate) fn source_lines(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "jax.config.update(\"jax_include_full_tracebacks_in_locations\", True)",
        Framework::PyTorch => "torch.profiler.profile(with_stack=True)",
        Framework::TensorFlow | Framework::Other => "",
    }
}

/// Names what the host does. `text` goes between the parentheses, such as `"data_loading"`.
pub(crate) fn region(session: &Session, text: &str) -> String {
    match session.framework() {
        Framework::Jax => format!("with jax.profiler.TraceAnnotation({text}):"),
        Framework::TensorFlow => format!("with tf.profiler.experimental.Trace({text}):"),
        // It takes only a name.
        Framework::PyTorch => {
            let name = text.split(',').next().unwrap_or(text);
            format!("with torch.profiler.record_function({name}):")
        }
        Framework::Other => String::new(),
    }
}

/// Like [`region`], followed by the code to name, such as ` batch = next(iterator)`.
pub(crate) fn region_of(session: &Session, text: &str, body: &str) -> String {
    match region(session, text) {
        none if none.is_empty() => none,
        line => format!("{line}{body}"),
    }
}

/// Records host threads.
pub(crate) fn host_threads(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "options.host_tracer_level = 2",
        Framework::TensorFlow => {
            "options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)"
        }
        Framework::PyTorch | Framework::Other => "",
    }
}

/// Why nothing is known about host threads, and how to record them.
pub(crate) fn needs_host_threads(session: &Session) -> String {
    match host_threads(session) {
        "" => "No host threads were recorded.".to_owned(),
        line => format!("No host threads were recorded. To record them: {line}"),
    }
}

/// Records Python frames.
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

/// Records what driving threads do, as a sentence.
pub(crate) fn driving_threads(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => {
            "To record what they do, set `options.host_tracer_level = 2` and \
             `options.python_tracer_level = 1` in `jax.profiler.ProfileOptions`."
        }
        Framework::TensorFlow => {
            "To record what they do, set `host_tracer_level=2` and `python_tracer_level=1` in \
             `tf.profiler.experimental.ProfilerOptions`."
        }
        Framework::PyTorch => {
            "To record Python, pass `with_stack=True` to `torch.profiler.profile`."
        }
        Framework::Other => "",
    }
}

/// The options with which JAX records what hosts do and that the capture does not say it had, such as
/// `python_tracer_level=1`.
pub(crate) fn missing_tracers(session: &Session) -> Option<String> {
    let is_on = |option: &str, level: u64| {
        let name = format!("option {option}");
        let mut hosts = session.hosts.iter();
        !session.hosts.is_empty()
            && hosts.all(|host| {
                let recorded = host.number(&name);
                recorded.is_some_and(|recorded| recorded >= level)
            })
    };
    let options = [("host_tracer_level", 2), ("python_tracer_level", 1)];
    let missing = options
        .iter()
        .filter(|(option, level)| !is_on(option, *level));
    let missing: Vec<String> = missing
        .map(|(option, level)| format!("{option}={level}"))
        .collect();
    (!missing.is_empty()).then(|| missing.join(" and "))
}

/// Keeps programs in the profile, as a sentence.
pub(crate) fn programs(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "Programs are recorded by default; keep `enable_hlo_proto` on.",
        _ => "",
    }
}

/// Records what holds memory.
pub(crate) fn memory_snapshot(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => "jax.profiler.save_device_memory_profile(\"memory.prof\")",
        _ => "",
    }
}

/// Why nothing is known about steps, and how to record them.
pub(crate) fn needs_steps(session: &Session) -> String {
    match steps(session) {
        "" => "Requires steps, but none were recorded.".to_owned(),
        line => format!("Requires steps. To record them: {line}"),
    }
}
