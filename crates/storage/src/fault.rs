//! Mapped files that lose their bytes: a file that is truncated while it is mapped must not end the
//! process.
//!
//! Touching a page of a mapping that its file no longer covers raises SIGBUS, which ends a process
//! by default: the server with all its sessions, or somebody's Python interpreter. So each mapping
//! is registered here, and a handler of that signal maps zeros over what is left of the mapping and
//! marks it. Whoever reads goes on, with zeros, and asks [`Registered::is_hit`] before anything that
//! was made of them is believed.

/// Whether mappings can be registered on this system.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) use handler::Registered;

/// On other systems nothing is registered, so nothing is mapped.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) enum Registered {}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
impl Registered {
    pub(crate) fn new(_bytes: &[u8]) -> Option<Self> {
        None
    }

    pub(crate) fn is_hit(&self) -> bool {
        match *self {}
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[expect(
    unsafe_code,
    reason = "a signal handler, and the mapping of zeros that it makes, have no safe form"
)]
mod handler {
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
    use std::sync::{Mutex, OnceLock, PoisonError};

    use libc::{c_int, c_void, siginfo_t};

    /// Mappings at a time. Files beyond that are read into memory.
    const SLOTS: usize = 4096;

    /// Start of a free slot, and of one that is being filled.
    const FREE: usize = 0;
    const CLAIMED: usize = 1;

    /// One registered mapping. The handler may read a slot while another thread fills it, so the
    /// generation is checked before and after, as in a sequence lock.
    struct Slot {
        start: AtomicUsize,
        end: AtomicUsize,
        generation: AtomicU64,
        is_hit: AtomicBool,
    }

    impl Slot {
        const fn new() -> Self {
            Self {
                start: AtomicUsize::new(FREE),
                end: AtomicUsize::new(0),
                generation: AtomicU64::new(0),
                is_hit: AtomicBool::new(false),
            }
        }

        /// The end of the mapping, if it contains the address.
        fn end_around(&self, address: usize) -> Option<usize> {
            let generation = self.generation.load(Ordering::SeqCst);
            let start = self.start.load(Ordering::SeqCst);
            let end = self.end.load(Ordering::SeqCst);
            let is_stable = generation == self.generation.load(Ordering::SeqCst);
            let is_inside = start > CLAIMED && (start..end).contains(&address);
            (is_stable && is_inside).then_some(end)
        }
    }

    static MAPPINGS: [Slot; SLOTS] = [const { Slot::new() }; SLOTS];

    /// Where to look for a free slot first.
    static NEXT: AtomicUsize = AtomicUsize::new(0);

    /// What was in place when our handler was installed, for signals that are not about our mappings.
    /// It is installed again where somebody else's has replaced it (Python's `faulthandler`, absl),
    /// so there may be several, one before the other.
    struct Previous {
        action: libc::sigaction,
        /// What was in place before that; null for the first.
        before: *const Self,
        /// Whether it was given a signal.
        is_called: AtomicBool,
    }

    /// The latest. What it points to is never freed: the handler may be reading it.
    static PREVIOUS: AtomicPtr<Previous> = AtomicPtr::new(ptr::null_mut());

    /// Held while the handler is installed.
    static INSTALLING: Mutex<()> = Mutex::new(());

    /// The size of a page, zero if the system does not tell.
    static PAGE_BYTES: OnceLock<usize> = OnceLock::new();

    /// A mapping that may lose its file. Dropping it before the mapping ends the registration.
    pub(crate) struct Registered {
        slot: usize,
    }

    impl Registered {
        /// Registers mapped bytes; `None` if there is no room, or no handler.
        pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
            let page_bytes = *PAGE_BYTES.get_or_init(|| page_bytes().unwrap_or(0));
            if page_bytes == 0 || bytes.is_empty() || !is_installed() {
                return None;
            }
            let start = bytes.as_ptr().addr();
            let end = start.checked_add(bytes.len())?;
            let end = end.checked_next_multiple_of(page_bytes)?;
            let first = NEXT.fetch_add(1, Ordering::Relaxed);
            let slot = (0..SLOTS)
                .map(|step| (first.wrapping_add(step)) % SLOTS)
                .find(|&slot| claim(&MAPPINGS[slot]))?;
            let mapping = &MAPPINGS[slot];
            mapping.generation.fetch_add(1, Ordering::SeqCst);
            mapping.is_hit.store(false, Ordering::SeqCst);
            mapping.end.store(end, Ordering::SeqCst);
            mapping.start.store(start, Ordering::SeqCst);
            Some(Self { slot })
        }

        /// Whether a part of the mapping was replaced by zeros.
        pub(crate) fn is_hit(&self) -> bool {
            MAPPINGS[self.slot].is_hit.load(Ordering::SeqCst)
        }
    }

    impl Drop for Registered {
        fn drop(&mut self) {
            let mapping = &MAPPINGS[self.slot];
            mapping.generation.fetch_add(1, Ordering::SeqCst);
            mapping.start.store(FREE, Ordering::SeqCst);
        }
    }

    fn claim(slot: &Slot) -> bool {
        slot.start
            .compare_exchange(FREE, CLAIMED, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }

    fn page_bytes() -> Option<usize> {
        // SAFETY: asks for a number, and touches no memory of ours.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(page_bytes).ok()
    }

    /// Whether the handler is in place; puts it there if it is not, or not any more.
    fn is_installed() -> bool {
        let _installing = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = on_bus_error;
        // SAFETY: a `sigaction` of zeros is a valid value: the default action, no flags.
        let mut current: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: no new action is given, and the old one is written to a value that we own.
        if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut current) } != 0 {
            return false;
        }
        if current.sa_sigaction == handler as usize {
            return true;
        }
        remember(current);
        // SAFETY: as above.
        let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
        ours.sa_sigaction = handler as usize;
        // On the alternative stack, where a thread has one: this may happen deep in recursion.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that SA_SIGINFO requires, lives as long as the
        // process, and calls only what a signal handler may: it reads and writes lock-free atomics,
        // reads a `OnceLock` that was filled before it was installed, follows pointers to what is
        // never freed, and makes the system calls `mmap`, `getpid`, `sigaction` and `raise`. It
        // neither allocates nor locks.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, ptr::null_mut()) == 0 }
    }

    /// Makes an action the latest previous one. One that was there before is found again, so that
    /// whoever installs and removes a handler over and over leaves nothing behind.
    fn remember(action: libc::sigaction) {
        let mut known = PREVIOUS.load(Ordering::SeqCst);
        // SAFETY: what is pointed to is never freed, and only written through its atomic.
        while let Some(previous) = unsafe { known.as_ref() } {
            let is_same = previous.action.sa_sigaction == action.sa_sigaction
                && previous.action.sa_flags == action.sa_flags;
            if is_same {
                previous.is_called.store(false, Ordering::SeqCst);
                PREVIOUS.store(known, Ordering::SeqCst);
                return;
            }
            known = previous.before.cast_mut();
        }
        let previous = Box::new(Previous {
            action,
            before: PREVIOUS.load(Ordering::SeqCst),
            is_called: AtomicBool::new(false),
        });
        PREVIOUS.store(Box::into_raw(previous), Ordering::SeqCst);
    }

    extern "C" fn on_bus_error(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid `siginfo_t`. A positive code says that
        // an access caused the signal, and then the address is set.
        let address = unsafe { ((*info).si_code > 0).then(|| (*info).si_addr().addr()) };
        if address.is_some_and(cover) {
            return;
        }
        pass_on(signal, info, context);
    }

    /// Maps zeros over the registered mapping from an address on. Returns false if it is not in one.
    fn cover(address: usize) -> bool {
        let Some(&page_bytes) = PAGE_BYTES.get().filter(|&&bytes| bytes > 0) else {
            return false;
        };
        let around = |slot: &'static Slot| Some((slot, slot.end_around(address)?));
        let Some((mapping, end)) = MAPPINGS.iter().find_map(around) else {
            return false;
        };
        // Before the zeros are there: whoever sees them sees the mark.
        mapping.is_hit.store(true, Ordering::SeqCst);
        let start = address / page_bytes * page_bytes;
        let target = ptr::with_exposed_provenance_mut::<c_void>(start);
        let flags = libc::MAP_FIXED | libc::MAP_ANON | libc::MAP_PRIVATE | libc::MAP_NORESERVE;
        // SAFETY: the range is whole pages inside a mapping that this process made with `Mmap` and
        // registered. It cannot be unmapped meanwhile: the thread that the signal interrupted is
        // reading it, so its owner is borrowed, and `Registered` is dropped before the mapping. The
        // new pages have the protection of the old ones, `munmap` of the whole range frees both,
        // and nothing relies on the bytes of a mapped file to stay as they are (see `map_file`).
        let mapped = unsafe { libc::mmap(target, end - start, libc::PROT_READ, flags, -1, 0) };
        mapped != libc::MAP_FAILED
    }

    /// The signal is not about our mappings: what was in place before gets it.
    fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the system passes a valid `siginfo_t`.
        let is_own = unsafe { is_sent_by_us(&*info) };
        let mut latest = PREVIOUS.load(Ordering::SeqCst).cast_const();
        // A handler that has said what happened puts back what it found, which is ours, and sends
        // the signal again to end the process: then whoever was there before it gets it.
        // SAFETY: what is pointed to is never freed, and only written through its atomic.
        while let Some(previous) = unsafe { latest.as_ref() } {
            if !(is_own && previous.is_called.load(Ordering::SeqCst)) {
                break;
            }
            latest = previous.before;
        }
        // SAFETY: as above.
        let previous = unsafe { latest.as_ref() };
        let action = previous.map_or(libc::SIG_DFL, |previous| previous.action.sa_sigaction);
        if action == libc::SIG_DFL || action == libc::SIG_IGN {
            // SAFETY: a `sigaction` of zeros is the default action. After it is restored, an access
            // that caused the signal is repeated when the handler returns, and ends the process as
            // if there had been no handler; a signal that was sent is sent again, and is delivered
            // when the handler returns.
            unsafe {
                let default: libc::sigaction = std::mem::zeroed();
                libc::sigaction(signal, &raw const default, ptr::null_mut());
                if (*info).si_code <= 0 && action == libc::SIG_DFL {
                    libc::raise(signal);
                }
            }
            return;
        }
        if let Some(previous) = previous {
            previous.is_called.store(true, Ordering::SeqCst);
        }
        let flags = previous.map_or(0, |previous| previous.action.sa_flags);
        // SAFETY: the value came from `sigaction`, which had it from someone who registered a
        // function with the signature that its flags say.
        unsafe {
            if flags & libc::SA_SIGINFO != 0 {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    std::mem::transmute(action);
                handler(signal, info, context);
            } else {
                let handler: extern "C" fn(c_int) = std::mem::transmute(action);
                handler(signal);
            }
        }
    }

    /// Whether this process sent the signal itself: a code that is not positive says that some
    /// process did.
    fn is_sent_by_us(info: &siginfo_t) -> bool {
        #[cfg(target_os = "linux")]
        // SAFETY: a signal that was sent says by whom.
        let sender = || unsafe { info.si_pid() };
        #[cfg(not(target_os = "linux"))]
        let sender = || info.si_pid;
        // SAFETY: asks for a number, and touches no memory of ours.
        info.si_code <= 0 && sender() == unsafe { libc::getpid() }
    }
}
