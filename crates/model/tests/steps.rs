//! Steps: recorded, annotated with synchronous and asynchronous dispatch, inferred from runs.

mod support;

use stepscope_model::{Class, StepOrigin};
use support::{assert_text, label, session, steps};

#[test]
fn recorded_step_lines_win() {
    let session = session(
        "thread python
           0..9us train #step_num=99,_r=1#
         device tpu:0 v6e
         line Steps
           0..10us 7
           12..20us 8
           20..30us 8
         device tpu:1 v6e
         line Steps
           1..11us 7",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::StepLine));
    assert_text(
        &steps(&session),
        "7: TPU:0 0us..10us work 0us..10us, TPU:1 1us..11us work 1us..11us
         8: TPU:0 12us..20us work 12us..20us
         8: TPU:0 20us..30us work 20us..30us",
    );
}

/// Each step waits for its result: the device works within the annotation, which is the step.
#[test]
fn with_synchronous_dispatch_the_annotation_is_the_step() {
    let session = session(
        "thread python
         repeat 2 every 100us
           0..90us train #step_num=$i,_r=1#
         end
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
         repeat 2 every 100us
           10..40us fusion.1 [run_id=$i]
           50..80us all-reduce [run_id=$i]
         end",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: host0 0us..90us, CPU:0 0us..90us work 10us..80us
         1: host0 100us..190us, CPU:0 100us..190us work 110us..180us",
    );
    assert_eq!(label(&session, "train").class, Class::Step);
}

/// The host runs ahead: a step lasts on the device from its first work to the next step's.
#[test]
fn with_asynchronous_dispatch_device_spans_are_periods() {
    let session = session(
        "thread python
           0..10us  train #step_num=0,_r=1#
           10..20us train #step_num=1,_r=1#
           20..30us train #step_num=2,_r=1#
           1..2us   launch [run_id=70]
           11..12us launch [run_id=71]
           21..22us launch [run_id=72]
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5) [run_id=70]
           50..95us   jit_step(5) [run_id=71]
           100..140us jit_step(5) [run_id=72]",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: TPU:0 5us..50us work 5us..45us
         1: TPU:0 50us..100us work 50us..95us
         2: TPU:0 100us..140us work 100us..140us",
    );
}

/// A step without device work among asynchronous ones keeps its place and its annotation's time.
#[test]
fn a_step_that_launched_nothing_is_as_long_as_its_annotation() {
    let session = session(
        "thread python
           0..10us  train #step_num=0,_r=1#
           10..20us train #step_num=1,_r=1#
           20..30us train #step_num=2,_r=1#
           1..2us   launch [run_id=70]
           21..22us launch [run_id=72]
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5) [run_id=70]
           100..140us jit_step(5) [run_id=72]",
    );
    assert_text(
        &steps(&session),
        "0: TPU:0 5us..100us work 5us..45us
         1: host0 10us..20us
         2: TPU:0 100us..140us work 100us..140us",
    );
}

#[test]
fn annotations_need_both_stats_and_may_be_numbered_tolerantly() {
    let session = session(
        "thread python
           0..10us  train #step_num=0#
           10..20us train [_r=1]
           20..30us train [_r=2 step_num=2]
           30..40us train [_r=1u step_num=3.0]
           40..50us eval  [_r=1 step_num=-4]
         thread other/1
           60..70us train [_r=1 step_num=3]",
    );
    assert_text(
        &steps(&session),
        "3: host0 30us..40us
         -4: host0 40us..50us
         3: host0 60us..70us",
    );
}

#[test]
fn hosts_take_part_in_steps_of_one_number() {
    let text = "thread python
                  0..10us train #step_num=5,_r=1#
                  20..30us train #step_num=6,_r=1#";
    let session = support::sessions(&[text, text]);
    assert_text(
        &steps(&session),
        "5: host0 0us..10us, host1 0us..10us
         6: host0 20us..30us, host1 20us..30us",
    );
}

/// By the loop itself and by the profiler around it.
#[test]
fn steps_marked_twice_count_once() {
    let session = session(
        "thread python
         repeat 3 every 100us
           0..90us train #step_num=$i,_r=1#
           1..80us my_step #step_num=$i,_r=1#
         end",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: host0 0us..90us
         1: host0 100us..190us
         2: host0 200us..290us",
    );
}

#[test]
fn an_epoch_around_steps_is_none_of_them() {
    let session = session(
        "thread python
           0..200us   epoch #step_num=0,_r=1#
           0..90us    train #step_num=7,_r=1#
           100..190us train #step_num=8,_r=1#
           200..300us epoch #step_num=1,_r=1#
           200..290us train #step_num=9,_r=1#",
    );
    assert_text(
        &steps(&session),
        "7: host0 0us..90us
         8: host0 100us..190us
         9: host0 200us..290us",
    );
}

/// A capture of one call, as Stepscope's package marks it.
#[test]
fn a_block_without_marked_steps_is_one_step() {
    let session = session(
        "thread python
           0..90us block train_step #stepscope_block=4#
         device tpu:0 v6e
         line XLA Modules
           10..60us jit_step(5) [run_id=70]
           62..64us jit_norm(6) [run_id=71]
           65..67us jit_norm(6) [run_id=72]",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "4: host0 0us..90us, TPU:0 0us..90us work 10us..67us",
    );
    assert_eq!(label(&session, "block train_step").class, Class::Step);
}

#[test]
fn marked_steps_win_over_their_block() {
    let session = session(
        "thread python
           0..90us  block train_step #stepscope_block=0#
           5..40us  train #step_num=3,_r=1#
           45..80us train #step_num=4,_r=1#",
    );
    assert_text(
        &steps(&session),
        "3: host0 5us..40us
         4: host0 45us..80us",
    );
}

#[test]
fn runs_of_the_main_program_win_over_the_block_around_them() {
    let session = session(
        "thread python
           0..90us block #stepscope_block=0#
         device tpu:0 v6e
         line XLA Modules
           10..30us jit_step(5) [run_id=70]
           40..60us jit_step(5) [run_id=71]
           70..75us jit_norm(6) [run_id=72]",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::ProgramRuns));
    assert_eq!(session.steps.len(), 2);
}

#[test]
fn without_annotations_runs_of_the_main_program_are_steps() {
    let session = session(
        "device tpu:0 v6e
         line XLA Modules
           0..90us    jit_compile_once(1)
           100..140us jit_step(5)
           141..142us jit_metrics(6)
           150..190us jit_step(5)
           191..192us jit_metrics(6)
           200..240us jit_step(5)
         device tpu:1 v6e
         line XLA Modules
           101..141us jit_step(5)
           151..191us jit_step(5)",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::ProgramRuns));
    assert_text(
        &steps(&session),
        "0: TPU:0 100us..150us work 100us..140us, TPU:1 101us..151us work 101us..141us
         1: TPU:0 150us..200us work 150us..190us, TPU:1 151us..191us work 151us..191us
         2: TPU:0 200us..240us work 200us..240us",
    );
}

#[test]
fn one_run_is_no_step() {
    let session = session("device tpu:0 v6e\n line XLA Modules\n 0..90us jit_f(1)");
    assert_eq!((session.steps.len(), session.step_origin), (0, None));
}
