//! Products (dots, convolutions, library calls) by the types they are computed in: each type has a
//! peak of its own.

use crate::attributes::Precision;
use crate::callees::callees_first;
use crate::opcode::{is_convolution_target, is_matmul_target};
use crate::primitive_type::PrimitiveType;
use crate::program::{Instruction, Program};

use super::amount::CostBasis;
use super::product_type::{ProductType, Products, ProductsByComputation};

impl Program {
    /// Operations of the products of one execution of an instruction, by type. A fusion or call has
    /// those of its body; they are part of the operations that [`Program::cost`] gives.
    ///
    /// The first call looks through the whole program, later ones look up.
    pub fn products(&self, instruction: &Instruction) -> Products {
        let of_computation = self.products.get_or_init(|| program_products(self));
        instruction_products(self, of_computation, instruction)
    }
}

fn program_products(program: &Program) -> ProductsByComputation {
    let mut found = ProductsByComputation::default();
    for index in callees_first(program) {
        let Some(computation) = program.computations.get(index) else {
            continue;
        };
        let mut sum = Products::default();
        for instruction in program.instructions_of(computation) {
            sum.add_times(&instruction_products(program, &found, instruction), 1.0);
        }
        if sum.total() > 0.0 {
            found.insert(index, sum);
        }
    }
    found
}

fn instruction_products(
    program: &Program,
    of_computation: &ProductsByComputation,
    instruction: &Instruction,
) -> Products {
    let callees = || {
        let called = instruction.called_computation_ids.iter();
        called.filter_map(|id| of_computation.get(&program.computation_by_id.get(id)?.index()))
    };
    let opcode = instruction.opcode.as_str();
    match opcode {
        "dot" | "ragged-dot" | "scaled-dot" | "convolution" | "custom-call" => {
            let flops = program.cost(instruction).flops;
            Products::of(product_type(program, instruction), flops)
        }
        "conditional" => callees().fold(Products::default(), Products::larger),
        "fusion" | "call" | "while" | "async-start" => {
            let mut sum = Products::default();
            for products in callees() {
                sum.add_times(products, 1.0);
            }
            sum
        }
        _ => Products::default(),
    }
}

fn product_type(program: &Program, instruction: &Instruction) -> ProductType {
    let precision = instruction
        .attributes()
        .map_or_else(Precision::default, |attributes| attributes.precision);
    if let Some(product) = of_algorithm(precision.algorithm) {
        return product;
    }
    let target = instruction.custom_call_target.as_str();
    if instruction.opcode == "custom-call"
        && !is_matmul_target(target)
        && !is_convolution_target(target)
    {
        return of_kernel(program, instruction);
    }
    let element = |index| {
        let operand = program.operand(instruction, index)?;
        Some(operand.shape.first_leaf().element_type)
    };
    let (Some(left), Some(right)) = (element(0), element(1)) else {
        return ProductType::Unknown;
    };
    match of_element(wider(left, right)) {
        ProductType::F32 if precision.level == 1 => ProductType::F32High,
        ProductType::F32 if precision.level > 1 => ProductType::F32Highest,
        product => product,
    }
}

/// The narrower factor is widened to the other. Two types of the same width have no common one.
fn wider(left: PrimitiveType, right: PrimitiveType) -> PrimitiveType {
    match left.bits().cmp(&right.bits()) {
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Equal if of_element(left) == of_element(right) => left,
        std::cmp::Ordering::Equal => PrimitiveType::Invalid,
    }
}

/// A kernel that the compiler cannot see into may cast what it reads: only narrow operands, all of
/// one type, say in what it multiplies.
fn of_kernel(program: &Program, instruction: &Instruction) -> ProductType {
    let basis = program.cost(instruction).basis;
    if !matches!(basis, CostBasis::Shapes | CostBasis::Estimate) {
        return ProductType::Unknown;
    }
    let shapes = program.operands(instruction).map(|operand| &operand.shape);
    let factors = shapes.filter(|shape| shape.dimensions.len() >= 2);
    let mut types = factors.map(|shape| of_element(shape.first_leaf().element_type));
    let Some(first) = types.next() else {
        return ProductType::Unknown;
    };
    let is_narrow = matches!(
        first,
        ProductType::Bf16 | ProductType::F16 | ProductType::F8 | ProductType::Int8
    );
    if is_narrow && types.all(|product| product == first) {
        first
    } else {
        ProductType::Unknown
    }
}

fn of_element(element: PrimitiveType) -> ProductType {
    match element {
        PrimitiveType::F64 => ProductType::F64,
        PrimitiveType::F32 => ProductType::F32,
        PrimitiveType::Bf16 => ProductType::Bf16,
        PrimitiveType::F16 => ProductType::F16,
        PrimitiveType::S8 | PrimitiveType::U8 => ProductType::Int8,
        PrimitiveType::S4 | PrimitiveType::U4 => ProductType::Int4,
        PrimitiveType::F4E2M1Fn => ProductType::F4,
        other if other.is_floating_point() && other.bits() == 8 => ProductType::F8,
        _ => ProductType::Unknown,
    }
}

/// `PrecisionConfig.Algorithm` of `xla_data.proto`; none if the precision of the operands decides.
const fn of_algorithm(algorithm: u8) -> Option<ProductType> {
    Some(match algorithm {
        1 | 2 => ProductType::F8,
        3 | 4 => ProductType::F16,
        5 | 6 => ProductType::Bf16,
        7 => ProductType::Bf16X3,
        8 => ProductType::Bf16X6,
        9 => ProductType::Tf32,
        10 => ProductType::Tf32X3,
        11 => ProductType::F32Highest,
        12 => ProductType::F64,
        13 => ProductType::Bf16X9,
        0 => return None,
        _ => ProductType::Unknown,
    })
}
