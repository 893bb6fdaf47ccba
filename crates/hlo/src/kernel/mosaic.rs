//! Mosaic's kernels for TPU: MLIR bytecode in the JSON of the call.
//!
//! ```text
//! func kernel(grid indices, prefetched scalars, blocks of operands and results, scratch)
//!   iteration_bounds = [4, 2, 8]   window_params = [{transform_indices = @transform_0,
//!   scalar_prefetch = 0            window_bounds = [256, 128]}, …]   scratch_operands = 1
//! func transform_0(grid indices, prefetched scalars) → which block
//! ```

use super::body::{base64, json_string};
use super::description::{Kernel, KernelBlock, KernelBuffer};
use super::index_map;
use crate::backend_config::{after_key, leading_integer};
use crate::mlir::{Attribute, Module, Op, Refusal, Type};
use crate::program::Instruction;
use crate::shape::Shape;

/// Memory space 1 in XLA's configuration of TPU programs.
const VMEM: u64 = 1;
/// Blocks and scratch buffers that are listed.
const MAX_BUFFERS: usize = 256;

pub(super) fn read(config: &str, call: &Instruction, operands: &[&Instruction]) -> Kernel {
    let mut kernel = Kernel {
        language: "Mosaic (TPU)",
        vmem_bytes: reserved(config, "used_scoped_memory_configs"),
        vmem_limit_bytes: reserved(config, "scoped_memory_configs"),
        ..Kernel::default()
    };
    let body = json_string(config, "\"body\"").and_then(|body| base64(&body));
    let Some(body) = body else {
        "The call contains no kernel that can be read.".clone_into(&mut kernel.unknown);
        return kernel;
    };
    match Module::read(&body) {
        Ok(module) => fill(&mut kernel, &module, call, operands),
        Err(refusal) => kernel.unknown = told(refusal),
    }
    kernel
}

fn told(refusal: Refusal) -> String {
    match refusal {
        Refusal::NotBytecode => "The kernel is not MLIR bytecode, so it is not read.".to_owned(),
        Refusal::Version(version) => {
            format!("The kernel is MLIR bytecode of version {version}, which is not read.")
        }
        Refusal::Damaged => "The kernel's MLIR bytecode is damaged or cut short.".to_owned(),
    }
}

fn fill(kernel: &mut Kernel, module: &Module<'_>, call: &Instruction, operands: &[&Instruction]) {
    // The kernel says how it is iterated; functions next to it map indices.
    let is_kernel = |op: &&Op| module.attribute(op, "scratch_operands").is_some();
    let Some(function) = module.functions().find(is_kernel) else {
        "The kernel's module has no function with Mosaic's attributes, so grid and blocks are unknown."
            .clone_into(&mut kernel.unknown);
        return;
    };
    let function = Function {
        module,
        op: function,
    };
    kernel.name = function.text("sym_name");
    kernel.grid = Some(function.grid());
    kernel.dimension_semantics = function.dimension_semantics();
    let arguments = function.arguments();
    let grid_rank = kernel.grid.as_ref().map_or(0, Vec::len);
    let prefetched = function.count("scalar_prefetch");
    let scratch = function.count("scratch_operands");
    let first = grid_rank.saturating_add(prefetched);
    let Some(buffers) = arguments.get(first..) else {
        "The kernel has fewer arguments than its attributes say, so its blocks are unknown."
            .clone_into(&mut kernel.unknown);
        return;
    };
    let block_count = buffers.len().saturating_sub(scratch);
    let (blocks, scratch) = buffers.split_at(block_count);
    // A size of the grid that is known only at run time is an operand of the call.
    let sizes = kernel.grid.iter().flatten().filter(|size| size.is_none());
    let arrays = Arrays {
        call,
        operands,
        before: sizes.count().saturating_add(prefetched),
    };
    let windows = function.list("window_params");
    let blocks = blocks.iter().enumerate().take(MAX_BUFFERS);
    kernel.blocks = blocks
        .map(|(position, argument)| {
            let (of, array) = arrays.of(position);
            KernelBlock {
                of,
                array,
                buffer: buffer(argument),
                index_map: function.index_map(windows.get(position), grid_rank),
            }
        })
        .collect();
    kernel.scratch = scratch.iter().take(MAX_BUFFERS).map(buffer).collect();
}

/// A function of a kernel's module.
struct Function<'a> {
    module: &'a Module<'a>,
    op: &'a Op,
}

impl Function<'_> {
    fn get(&self, name: &str) -> Option<Attribute> {
        self.module.attribute(self.op, name)
    }

    fn text(&self, name: &str) -> String {
        match self.get(name) {
            Some(Attribute::Text(text)) => text,
            _ => String::new(),
        }
    }

    fn count(&self, name: &str) -> usize {
        match self.get(name) {
            Some(Attribute::Integer(count)) => usize::try_from(count).unwrap_or(0),
            _ => 0,
        }
    }

    fn list(&self, name: &str) -> Vec<Attribute> {
        match self.get(name) {
            Some(Attribute::List(list)) => list,
            _ => Vec::new(),
        }
    }

    /// Sizes; the smallest integer stands for one that is known only at run time.
    fn grid(&self) -> Vec<Option<u64>> {
        match self.get("iteration_bounds") {
            Some(Attribute::Integers(sizes)) => {
                let sizes = sizes.into_iter().map(|size| u64::try_from(size).ok());
                sizes.collect()
            }
            _ => Vec::new(),
        }
    }

    /// `#tpu.dimension_semantics<parallel>` without the rest.
    fn dimension_semantics(&self) -> Vec<String> {
        let all = self.list("dimension_semantics").into_iter();
        all.map(|one| match one {
            Attribute::Assembly(text) => within_brackets(&text).to_owned(),
            _ => "unknown".to_owned(),
        })
        .collect()
    }

    fn arguments(&self) -> Vec<Type> {
        let body = self.op.regions.first().and_then(|region| region.first());
        let arguments = body.map_or(&[][..], |block| block.arguments.as_slice());
        let types = arguments.iter().map(|&number| self.module.type_of(number));
        types.collect()
    }

    /// Which block of an array a step of the grid works on; empty without blocks.
    fn index_map(&self, window: Option<&Attribute>, grid_rank: usize) -> String {
        let Some(Attribute::Symbol(name)) =
            window.and_then(|window| window.get("transform_indices"))
        else {
            return String::new();
        };
        let is_called = |op: &&Op| matches!(self.module.attribute(op, "sym_name"), Some(Attribute::Text(own)) if own == *name);
        let function = self.module.functions().find(is_called);
        let map = function.and_then(|function| index_map::read(self.module, function, grid_rank));
        map.unwrap_or_else(|| "unknown".to_owned())
    }
}

/// The operands and results of the call that blocks belong to.
struct Arrays<'a> {
    call: &'a Instruction,
    operands: &'a [&'a Instruction],
    /// Operands before those with blocks: sizes of the grid and prefetched scalars.
    before: usize,
}

impl Arrays<'_> {
    fn of(&self, position: usize) -> (String, String) {
        let number = self.before + position;
        if let Some(operand) = self.operands.get(number) {
            return (format!("operand {number}"), array(&operand.shape));
        }
        let number = number - self.operands.len().max(self.before);
        let own = &self.call.shape;
        let shape = match (own.is_tuple(), number) {
            (true, _) => own.tuple_shapes.get(number),
            (false, 0) => Some(own),
            (false, _) => None,
        };
        (
            format!("result {number}"),
            shape.map(array).unwrap_or_default(),
        )
    }
}

/// A shape without its layout.
fn array(shape: &Shape) -> String {
    let sizes: Vec<String> = shape.dimensions.iter().map(ToString::to_string).collect();
    format!("{}[{}]", shape.element_type.name(), sizes.join(","))
}

fn buffer(argument: &Type) -> KernelBuffer {
    let Type::Array {
        shape,
        element,
        space,
    } = argument
    else {
        let shape = match argument {
            Type::Scalar(name) => name.clone(),
            _ => "unknown".to_owned(),
        };
        return KernelBuffer {
            shape,
            ..KernelBuffer::default()
        };
    };
    let sizes: Vec<String> = shape
        .iter()
        .map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()))
        .collect();
    KernelBuffer {
        shape: format!("{element}[{}]", sizes.join(",")),
        space: within_brackets(space).to_owned(),
        byte_count: byte_count(shape, element),
    }
}

/// Bytes of an array of numbers, without padding.
fn byte_count(shape: &[Option<u64>], element: &str) -> Option<u64> {
    let digits = element.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let digits = digits
        .split(|letter: char| !letter.is_ascii_digit())
        .next()?;
    let bits: u64 = digits.parse().ok()?;
    let count = shape
        .iter()
        .try_fold(1u64, |count, size| count.checked_mul((*size)?))?;
    Some(count.checked_mul(bits)?.div_ceil(8))
}

/// The word within `<…>`, or all of it.
fn within_brackets(text: &str) -> &str {
    let inside = text
        .split_once('<')
        .and_then(|(_, rest)| rest.rsplit_once('>'));
    inside.map_or(text, |(inside, _)| inside)
}

/// `"scoped_memory_configs":[{"memory_space":1,"offset":0,"size":67108864}]`: bytes of VMEM.
fn reserved(config: &str, key: &str) -> Option<u64> {
    let (list, _) = after_key(config, key)?
        .trim_start()
        .strip_prefix('[')?
        .split_once(']')?;
    let entry = |entry: &str| {
        let space = leading_integer(after_key(entry, "memory_space")?)?;
        let size = leading_integer(after_key(entry, "size")?)?;
        (space == VMEM).then_some(size)
    };
    let sizes: Vec<u64> = list.split('}').filter_map(entry).collect();
    (!sizes.is_empty()).then(|| sizes.into_iter().fold(0, u64::saturating_add))
}
