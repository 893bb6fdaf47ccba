//! How long an op should take by theory, and the sentence that derives it.
//!
//! | Op | Expected time of one execution |
//! |---|---|
//! | computes | max(Σ operations ÷ peak of their type, bytes ÷ bandwidth of each memory) |
//! | communicates | what its links need, see [`links`](super::links); no less than the above |
//!
//! It is a bound from below, on the same arithmetic as the roofline: measured ÷ expected is
//! 1 ÷ (share of the roofline). Halves of asynchronous ops have none, as their work is done in between.

use stepscope_model::hlo::Instruction;
use stepscope_model::{MemoryLevel, ProductType, product_name};

use super::links::{self, Exchange};
use super::roofline::{Peaks, Roofline, Work, bound_name, roofline};
use super::run::Run;
use crate::telling::format;

/// What theory says of an op.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Expectation {
    /// Types of its products, as programs have them and as the chip computes them; empty without.
    pub(crate) operand_type: String,
    /// Operations per second at the peaks of the types it has; none without operations.
    pub(crate) peak_flops: Option<f64>,
    /// Of all executions, in picoseconds.
    pub(crate) expected_ps: Option<f64>,
    /// How it was derived, or why it is unknown; empty if there is nothing to derive.
    pub(crate) sentence: String,
}

/// What theory says of an op whose rates are known.
pub(crate) fn expectation(run: &Run<'_>, peaks: &Peaks, rates: &Roofline) -> Expectation {
    let work = Work::of(&run.cost, 1.0);
    let mut found = Expectation {
        operand_type: operand_type(&work, peaks),
        peak_flops: peak_flops(&work, peaks),
        ..Expectation::default()
    };
    if run.executions <= 0.0 || run.total_ps <= 0 {
        return found;
    }
    let each_ps = rates.expected_ps.map(|expected| expected / run.executions);
    let instruction = instruction(run);
    let exchange = instruction.and_then(|found| links::exchange(run, found));
    let derived = match exchange {
        Some(Exchange::Unknown(why)) => {
            found.sentence = format!("expected time unknown: {why}");
            return found;
        }
        Some(Exchange::Takes { seconds, sentence })
            if each_ps.is_none_or(|each| seconds * 1e12 >= each) =>
        {
            Some((seconds * 1e12, sentence))
        }
        _ => each_ps.map(|each| (each, derivation(&work, peaks, rates, instruction, run))),
    };
    let Some((each_ps, derived)) = derived else {
        return found;
    };
    let measured_ps = run.total_ps as f64 / run.executions;
    let mean = if run.executions > 1.0 { " (mean)" } else { "" };
    found.expected_ps = Some(each_ps * run.executions);
    found.sentence = format!(
        "{derived} = {}; measured {}{mean}",
        format::duration_ps(each_ps),
        format::duration_ps(measured_ps),
    );
    found
}

fn instruction<'a>(run: &Run<'a>) -> Option<&'a Instruction> {
    let hlo = run.session.program(run.op.program).hlo.as_ref()?;
    hlo.instruction(run.session.text(run.op.name))
}

/// `bf16`, `f32 as 6 × bf16`, `int8 + bf16`, `unknown`.
fn operand_type(work: &Work, peaks: &Peaks) -> String {
    let mut names: Vec<String> = Vec::new();
    for (product, _) in work.products.parts() {
        let name = product_words(product, peaks);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(" + ")
}

fn product_words(product: ProductType, peaks: &Peaks) -> String {
    let name = product_name(product);
    if name.is_empty() {
        return "unknown".to_owned();
    }
    match peaks.products[product.index()] {
        Some(peak) => match peak.computed_in {
            Some(operand) if operand.name() == name && peak.passes == 1 => name.to_owned(),
            Some(operand) if peak.passes == 1 => format!("{name} as {}", operand.name()),
            Some(operand) => format!("{name} as {} × {}", peak.passes, operand.name()),
            None => name.to_owned(),
        },
        None => name.to_owned(),
    }
}

/// All operations ÷ the time they take at their peaks.
fn peak_flops(work: &Work, peaks: &Peaks) -> Option<f64> {
    let seconds = peaks.compute_seconds(work)?;
    let flops = work.products.total() + work.other_flops;
    (seconds > 0.0).then(|| flops / seconds)
}

/// The side of the equation that says why: operations ÷ peak, or bytes ÷ bandwidth.
fn derivation(
    work: &Work,
    peaks: &Peaks,
    rates: &Roofline,
    instruction: Option<&Instruction>,
    run: &Run<'_>,
) -> String {
    if rates.bound_by == "compute" {
        return compute(work, peaks, instruction, run);
    }
    let level = MemoryLevel::ALL
        .into_iter()
        .find(|&level| bound_name(level) == rates.bound_by);
    let Some((level, peak)) = level.and_then(|level| Some((level, peaks.levels[level.index()]?)))
    else {
        return String::new();
    };
    let bytes = format::bytes(work.traffic.get(level));
    format!(
        "{bytes} ÷ {} of {}",
        format::rate(peak, "B/s"),
        bound_name(level)
    )
}

fn compute(work: &Work, peaks: &Peaks, instruction: Option<&Instruction>, run: &Run<'_>) -> String {
    let stated = peaks.flops.unwrap_or_default();
    let parts: Vec<(ProductType, f64)> = work.products.parts().collect();
    let [(product, flops)] = parts[..] else {
        let each = parts.iter().map(|&(product, flops)| {
            let operations = format!(
                "{} of {}",
                format::rate(flops, "FLOP"),
                product_words(product, peaks)
            );
            over_peak(&operations, product, peaks, stated)
        });
        let mut each: Vec<String> = each.collect();
        if work.other_flops > 0.0 {
            let others = format::rate(work.other_flops, "FLOP");
            each.push(format!("{others} ÷ {}", format::rate(stated, "FLOP/s")));
        }
        return each.join(" + ");
    };
    let operations = sizes(flops, instruction, run);
    let mut text = over_peak(
        &operations.unwrap_or_else(|| format::rate(flops, "FLOP")),
        product,
        peaks,
        stated,
    );
    // Less than what is shown of the result is not worth a term.
    if work.other_flops > 0.002 * flops {
        let others = format::rate(work.other_flops, "FLOP");
        text = format!("{text} + {others} ÷ {}", format::rate(stated, "FLOP/s"));
    }
    text
}

fn over_peak(operations: &str, product: ProductType, peaks: &Peaks, stated: f64) -> String {
    let Some(peak) = peaks.products[product.index()] else {
        return format!("{operations} ÷ {}", format::rate(stated, "FLOP/s"));
    };
    let of_type = peak.per_second * f64::from(peak.passes);
    let rate = format::rate(of_type, "FLOP/s");
    match (peak.computed_in, peak.passes) {
        (None, _) if product_name(product).is_empty() => {
            format!("{operations} ÷ {rate} (type unknown: the stated peak)")
        }
        (None, _) => format!(
            "{operations} ÷ {rate} (peak of {} unknown: the stated one)",
            product_name(product)
        ),
        (Some(operand), 1) if operand.name() == product_name(product) => {
            format!("{operations} ÷ {rate}")
        }
        (Some(operand), 1) => format!(
            "{operations} ÷ {rate} ({} computed in {})",
            product_name(product),
            operand.name()
        ),
        (Some(operand), passes) => format!(
            "{passes} passes of {} × {operations} ÷ {rate}",
            operand.name()
        ),
    }
}

/// `2·8192·8192·16384 FLOP`; none unless these are the sizes of the one product and its operations.
fn sizes(flops: f64, instruction: Option<&Instruction>, run: &Run<'_>) -> Option<String> {
    let hlo = run.session.program(run.op.program).hlo.as_ref()?;
    let sizes = hlo.product_sizes(instruction?)?;
    let product: f64 = sizes.iter().map(|&size| size as f64).product();
    if (2.0 * product - flops).abs() > 1e-6 * flops {
        return None;
    }
    let sizes = sizes.iter().filter(|&&size| size != 1);
    let sizes: Vec<String> = sizes.map(u64::to_string).collect();
    Some(format!("2·{} FLOP", sizes.join("·")))
}

/// Rates of an op with what theory says of it.
pub(crate) fn rated(run: &Run<'_>, peaks: &Peaks) -> (Roofline, Expectation) {
    let work = Work::of(&run.cost, run.executions);
    let rates = roofline(&work, run.total_ps, peaks);
    let expectation = expectation(run, peaks, &rates);
    (rates, expectation)
}
