//! Where in the user's program an instruction comes from.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::wire;
use crate::wire::text;

/// Deeper stacks are cut: Python itself stops at 1000 calls, and a cycle must end somewhere.
const MAX_STACK_DEPTH: usize = 256;

/// Line of the user's program an instruction was traced from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SourceLocation {
    /// File as Python knew it.
    pub file: String,
    /// Line, counted from one; zero when unknown.
    pub line: u32,
    /// The call stack, leaf first; empty when only the line was recorded.
    pub stack: Vec<Frame>,
}

/// One call of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Frame {
    /// File as Python knew it.
    pub file: String,
    /// Qualified name of the function.
    pub function: String,
    /// Line, counted from one.
    pub line: u32,
    /// Column as recorded.
    pub column: u32,
}

impl SourceLocation {
    /// `file:line`.
    pub fn label(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// Every frame as `file:line:column`, newline-joined, leaf first; empty without a stack.
    pub fn stack_text(&self) -> String {
        let lines: Vec<String> = self
            .stack
            .iter()
            .map(|frame| format!("{}:{}:{}", frame.file, frame.line, frame.column))
            .collect();
        lines.join("\n")
    }
}

/// A Python function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFunction {
    /// Path of its file.
    pub file: String,
    /// Its qualified name, such as `Trainer.fit.<locals>.step`.
    pub name: String,
}

/// Resolves the metadata of instructions to locations, each distinct one built once.
pub(crate) struct SourceResolver {
    file_names: Vec<String>,
    function_names: Vec<String>,
    index: wire::StackFrameIndex,
    known: FxHashMap<(i32, i32, Vec<u8>), Arc<SourceLocation>>,
}

impl SourceResolver {
    pub(crate) fn new(index: Option<wire::StackFrameIndex>) -> Self {
        let mut index = index.unwrap_or_default();
        Self {
            file_names: std::mem::take(&mut index.file_names)
                .into_iter()
                .map(text)
                .collect(),
            function_names: std::mem::take(&mut index.function_names)
                .into_iter()
                .map(text)
                .collect(),
            index,
            known: FxHashMap::default(),
        }
    }

    /// All functions of the stacks, each once, sorted.
    pub(crate) fn functions(&self) -> Vec<SourceFunction> {
        let places = self.index.file_locations.iter();
        let functions = places.filter_map(|place| {
            Some(SourceFunction {
                file: entry(&self.file_names, place.file_name_id)?.clone(),
                name: entry(&self.function_names, place.function_name_id)?.clone(),
            })
        });
        let functions: BTreeSet<SourceFunction> = functions.collect();
        functions.into_iter().collect()
    }

    /// The location an instruction's metadata speaks of. The file and line it states win over the
    /// top frame of its stack, as newer compilers record only the stack.
    pub(crate) fn resolve(
        &mut self,
        metadata: &mut wire::OpMetadata,
    ) -> Option<Arc<SourceLocation>> {
        if metadata.stack_frame_id <= 0 && metadata.source_file.is_empty() {
            return None;
        }
        let file = std::mem::take(&mut metadata.source_file);
        let key = (metadata.stack_frame_id, metadata.source_line, file);
        if let Some(known) = self.known.get(&key) {
            return Some(Arc::clone(known));
        }
        let stack = self.stack(metadata.stack_frame_id);
        let (file, line) = if key.2.is_empty() {
            let top = stack.first()?;
            (top.file.clone(), top.line)
        } else {
            (text(key.2.clone()), unsigned(key.1))
        };
        let location = Arc::new(SourceLocation { file, line, stack });
        self.known.insert(key, Arc::clone(&location));
        Some(location)
    }

    fn stack(&self, leaf_id: i32) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut frame_id = leaf_id;
        while let Some(frame) = entry(&self.index.stack_frames, frame_id) {
            if let Some(location) = entry(&self.index.file_locations, frame.file_location_id) {
                frames.push(Frame {
                    file: entry(&self.file_names, location.file_name_id)
                        .cloned()
                        .unwrap_or_default(),
                    function: entry(&self.function_names, location.function_name_id)
                        .cloned()
                        .unwrap_or_default(),
                    line: unsigned(location.line),
                    column: unsigned(location.column),
                });
            }
            if frame.parent_frame_id == frame_id || frames.len() >= MAX_STACK_DEPTH {
                break;
            }
            frame_id = frame.parent_frame_id;
        }
        frames
    }
}

/// Entry of a table whose ids count from one.
fn entry<T>(table: &[T], id: i32) -> Option<&T> {
    table.get(usize::try_from(id).ok()?.checked_sub(1)?)
}

fn unsigned(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
