//! SparseCores that work long enough to delay the TensorCores (XProf's SparseCoreBound).

use stepscope_model::DeviceKind;

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "sparse_core",
    title: "Busy SparseCores",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let busy = |kind: DeviceKind| {
        let ids = facts.session.device_ids();
        let of_kind = ids.filter(|id| facts.session.device(*id).kind == kind);
        let times = of_kind.map(|id| facts.work_of(id).1 as f64);
        let times: Vec<f64> = times.filter(|&time| time > 0.0).collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let Some(sparse) = busy(DeviceKind::SparseCore) else {
        return Outcome::Skipped("No SparseCore recorded work.".to_owned());
    };
    let Some(tensor) = busy(DeviceKind::Tpu) else {
        return Outcome::Skipped(NO_WORK.to_owned());
    };
    let ratio = sparse / tensor;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("sparse_core_ratio"), ratio) else {
        return Outcome::Passed(format!(
            "They are busy for {share} of the TensorCores' busy time."
        ));
    };
    finding(
        &RULE,
        severity,
        format!("SparseCores are busy for {share} of the TensorCores' busy time."),
    )
    .why(
        "Embeddings, gathers and offloaded collectives that take this long may delay the \
             dense computation.",
    )
    .fix(
        "Check in the timeline whether TensorCores wait for them. Use fewer or narrower \
             tables, or split batches in two and alternate between them.",
    )
    .sure(Confidence::Low)
    .found()
}
