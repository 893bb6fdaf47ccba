//! Label keys: what distinguishes the labels of a track's slices, in small integers.
//!
//! Most of a key repeats from event to event, so that part (the context) has its own number, and a
//! key is three integers: context, metadata, op.

use rustc_hash::FxHashMap;

/// A text stat, not yet resolved: equal keys of one plane are equal texts. One number, so that keys
/// are compared quickly: 0 is none, else an id times two, odd for texts in the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct TextKey(u64);

/// The meaning of a [`TextKey`].
pub(super) enum TextPlace {
    None,
    /// Name of this stat metadata.
    StatMetadata(i64),
    /// Position in [`Decoded::inline_texts`](super::decode::Decoded).
    Inline(usize),
}

impl TextKey {
    pub(super) const NONE: Self = Self(0);

    #[inline]
    pub(super) const fn reference(id: u64) -> Self {
        Self(id.wrapping_add(1) << 1)
    }

    pub(super) const fn inline(position: u64) -> Self {
        Self((position << 1) | 1)
    }

    /// Whether the text is in an event of one track, so that it means something else on another.
    const fn is_inline(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn place(self) -> TextPlace {
        match self.0 {
            0 => TextPlace::None,
            odd if odd & 1 == 1 => {
                TextPlace::Inline(usize::try_from(odd >> 1).unwrap_or(usize::MAX))
            }
            even => TextPlace::StatMetadata((even >> 1).wrapping_sub(1).cast_signed()),
        }
    }
}

/// The part of a key that the events of one program run share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Context {
    pub(super) plane: u32,
    pub(super) program: Option<i64>,
    pub(super) module: TextKey,
    pub(super) detail: TextKey,
    pub(super) framework_op: TextKey,
    /// Name stack of a GPU's op, or the part after the prefix.
    pub(super) op_path: TextKey,
    pub(super) op_path_prefix: TextKey,
    pub(super) is_async: bool,
    /// The framework's op is what the launch was annotated with.
    pub(super) is_annotated: bool,
    /// An op of XLA:CPU, which belongs to its device's tracks rather than the thread's.
    pub(super) is_cpu_op: bool,
}

/// What distinguishes the labels of a track's slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LabelKey {
    pub(super) context: Context,
    pub(super) metadata: i64,
    pub(super) op: TextKey,
}

impl LabelKey {
    /// Whether the key means the same on every track of its file.
    pub(super) const fn is_of_file(&self) -> bool {
        let context = &self.context;
        !(self.op.is_inline()
            || context.module.is_inline()
            || context.detail.is_inline()
            || context.framework_op.is_inline()
            || context.op_path.is_inline()
            || context.op_path_prefix.is_inline())
    }
}

/// A key with the number of its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ShortKey {
    context: u32,
    metadata: i64,
    op: TextKey,
}

/// The keys of a track, numbered in order of first use.
#[derive(Default)]
pub(super) struct LabelKeys {
    contexts: Vec<Context>,
    keys: Vec<ShortKey>,
    context_numbers: FxHashMap<Context, u32>,
    key_numbers: FxHashMap<ShortKey, u32>,
    /// For each event metadata ID, the key it was last seen with.
    last: Vec<LastKey>,
    last_context: u32,
}

/// The key that an event metadata was last seen with.
#[derive(Debug, Clone, Copy)]
struct LastKey {
    op: TextKey,
    context: u32,
    number: u32,
}

/// No context has this number.
const NO_KEY: LastKey = LastKey {
    op: TextKey::NONE,
    context: u32::MAX,
    number: 0,
};

/// Writers number metadata IDs from one; the table of a track with sparse IDs must stay small.
const IDS_PER_KEY: usize = 64;

impl LabelKeys {
    /// Only the keys. There may be a million tracks, so nothing that is only used to find keys is
    /// kept.
    pub(super) fn finish(&mut self) {
        *self = Self {
            contexts: std::mem::take(&mut self.contexts),
            keys: std::mem::take(&mut self.keys),
            ..Self::default()
        };
        self.contexts.shrink_to_fit();
        self.keys.shrink_to_fit();
    }

    /// All keys by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = LabelKey> {
        self.keys.iter().map(|key| LabelKey {
            context: self.contexts[key.context as usize],
            metadata: key.metadata,
            op: key.op,
        })
    }

    /// The number of a context, usually the last one requested.
    #[inline]
    pub(super) fn context(&mut self, context: Context) -> u32 {
        if self.contexts.get(self.last_context as usize) != Some(&context) {
            self.last_context = self.find_or_add_context(context);
        }
        self.last_context
    }

    fn find_or_add_context(&mut self, context: Context) -> u32 {
        let contexts = &mut self.contexts;
        *self.context_numbers.entry(context).or_insert_with(|| {
            contexts.push(context);
            u32::try_from(contexts.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The number of a key, usually the one that its metadata had the last time.
    #[inline]
    pub(super) fn number(&mut self, context: u32, metadata: i64, op: TextKey) -> u32 {
        let position = usize::try_from(metadata).unwrap_or(usize::MAX);
        if let Some(last) = self.last.get(position)
            && last.op == op
            && last.context == context
        {
            return last.number;
        }
        self.find_or_add_key(ShortKey {
            context,
            metadata,
            op,
        })
    }

    fn find_or_add_key(&mut self, key: ShortKey) -> u32 {
        let keys = &mut self.keys;
        let number = *self.key_numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
        });
        let position = usize::try_from(key.metadata).unwrap_or(usize::MAX);
        if position < IDS_PER_KEY * (keys.len() + IDS_PER_KEY) {
            if self.last.len() <= position {
                self.last.resize(position + 1, NO_KEY);
            }
            self.last[position] = LastKey {
                op: key.op,
                context: key.context,
                number,
            };
        }
        number
    }
}
