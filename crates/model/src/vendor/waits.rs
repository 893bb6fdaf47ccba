//! Names of what threads wait for: buffers, programs of XLA:CPU, and work in queues.

/// The runtime waits for a buffer. Recorded twice, at the start and at the end of the wait, each time
/// for an instant: `CommonPjRtBuffer::Await`.
pub fn is_buffer_wait(name: &str) -> bool {
    name.ends_with("Buffer::Await")
}

/// An executor of XLA:CPU waits until its program, or a part of it, is complete.
pub fn is_completion_wait(name: &str) -> bool {
    name == "ThunkExecutor::Execute (wait for completion)"
}

/// Python takes something from a queue, and waits until there is something. A `SimpleQueue` has a C
/// method without a module, in which workers of a pool wait.
pub fn is_queue_get(name: &str) -> bool {
    is_method_get(name) || name == "$queue get" || of_queue(name) == Some("get")
}

/// A C method `get` without a module: that of a `SimpleQueue`, or of a dictionary.
pub fn is_method_get(name: &str) -> bool {
    name == "$<unknown> get"
}

/// Python's `next`, called with any iterator.
pub fn is_next(name: &str) -> bool {
    name == "$builtins next"
}

/// Python waits until a file is on the disk.
pub fn is_file_sync(name: &str) -> bool {
    matches!(name, "$posix fsync" | "$posix fdatasync")
}

/// Python puts something into a queue.
pub fn is_queue_put(name: &str) -> bool {
    name == "$<unknown> put" || matches!(of_queue(name), Some("put" | "put_nowait"))
}

/// Python puts something into a queue, and waits if it is full. A `SimpleQueue` is never full.
pub fn is_waiting_put(name: &str) -> bool {
    of_queue(name) == Some("put")
}

/// A worker of a pool of Python's threads, from its start to its end.
pub fn is_pool_worker(name: &str) -> bool {
    let place = name.strip_prefix("$thread.py:");
    place.is_some_and(|place| place.ends_with(" _worker"))
}

/// The method of a class of Python's modules for queues: `$queue.py:180 get` is `get`.
fn of_queue(name: &str) -> Option<&str> {
    let (place, method) = name.strip_prefix('$')?.split_once(' ')?;
    let (file, _) = place.split_once(':')?;
    matches!(file, "queue.py" | "queues.py").then_some(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_by_their_names() {
        assert!(is_buffer_wait("CommonPjRtBuffer::Await"));
        assert!(!is_buffer_wait("SlinkyThreadPool::Await"));
        assert!(is_completion_wait(
            "ThunkExecutor::Execute (wait for completion)"
        ));
        assert!(!is_completion_wait("ThunkExecutor::Execute"));
        for name in ["$queue.py:180 get", "$queues.py:99 get", "$<unknown> get"] {
            assert!(is_queue_get(name) && !is_queue_put(name), "{name}");
        }
        for name in ["$queue.py:140 put", "$queues.py:80 put_nowait"] {
            assert!(is_queue_put(name) && !is_queue_get(name), "{name}");
        }
        assert!(is_waiting_put("$queue.py:140 put"));
        for name in [
            "$<unknown> put",
            "$queue.py:180 get",
            "$queue.py:210 put_nowait",
        ] {
            assert!(!is_waiting_put(name), "{name}");
        }
        assert!(is_method_get("$<unknown> get") && !is_method_get("$queue.py:180 get"));
        assert!(is_pool_worker("$thread.py:69 _worker"));
        assert!(!is_pool_worker("$train.py:69 _worker"));
        for name in ["$queue.py:267 _qsize", "$config.py:3 get", "queue.py:1 get"] {
            assert!(!is_queue_get(name) && !is_queue_put(name), "{name}");
        }
    }
}
