//! Steps of loops that launch the next one before the devices have finished this one.

use stepscope_model::{Session, StepOrigin};

use crate::support::{assert_text, session, steps};

/// Three steps, the last of which is annotated until `end_us`.
fn ahead(end_us: u32) -> Session {
    session(&format!(
        "thread python
           0..10us  train #step_num=0,_r=1#
           10..20us train #step_num=1,_r=1#
           20..{end_us}us train #step_num=2,_r=1#
           1..2us   launch [run_id=70]
           11..12us launch [run_id=71]
           21..22us launch [run_id=72]
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5) [run_id=70]
           50..95us   jit_step(5) [run_id=71]
           100..140us jit_step(5) [run_id=72]"
    ))
}

/// The host runs ahead: a step lasts on the device from its first work to the next step's.
#[test]
fn with_asynchronous_dispatch_device_spans_are_periods() {
    let session = ahead(30);
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: TPU:0 5us..50us work 5us..45us
         1: TPU:0 50us..100us work 50us..95us
         2 cut: TPU:0 100us..140us work 100us..140us",
    );
}

/// The last step's end is that of its annotation, where it is after its work: here an evaluation.
#[test]
fn the_last_step_of_a_loop_that_runs_ahead_ends_with_its_annotation() {
    assert_text(
        &steps(&ahead(200)),
        "0: TPU:0 5us..50us work 5us..45us
         1: TPU:0 50us..100us work 50us..95us
         2: TPU:0 100us..200us work 100us..140us",
    );
}
