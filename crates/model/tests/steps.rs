//! Steps: recorded, annotated with synchronous and asynchronous dispatch, inferred from runs.

use crate::support::{assert_text, label, session, steps};
use stepscope_model::{Class, StepOrigin};

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

/// Every fifth step is annotated, and waits for its device: what runs between is between steps.
#[test]
fn work_between_annotations_that_contain_their_own_is_not_theirs() {
    let session = session(
        "thread python
           0..40us    train #step_num=0,_r=1#
           100..140us train #step_num=5,_r=1#
           200..240us train #step_num=10,_r=1#
           1..2us     launch [run_id=70]
           50..51us   launch [run_id=71]
           101..102us launch [run_id=72]
           150..151us launch [run_id=73]
           201..202us launch [run_id=74]
         device tpu:0 v6e
         line XLA Modules
           5..35us    jit_step(5) [run_id=70]
           55..85us   jit_step(5) [run_id=71]
           105..135us jit_step(5) [run_id=72]
           155..185us jit_step(5) [run_id=73]
           205..235us jit_step(5) [run_id=74]",
    );
    assert_text(
        &steps(&session),
        "0: host0 0us..40us, TPU:0 0us..40us work 5us..35us
         5: host0 100us..140us, TPU:0 100us..140us work 105us..135us
         10: host0 200us..240us, TPU:0 200us..240us work 205us..235us",
    );
}

/// One annotation of each of several series inside another are the parts of a step.
#[test]
fn annotated_parts_of_a_step_are_no_steps() {
    let session = session(
        "thread python
         repeat 3 every 100us
           0..90us  whole #step_num=$i,_r=1#
           1..30us  load #step_num=$i,_r=1#
           40..80us compute #step_num=$i,_r=1#
         end
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
         repeat 3 every 100us
           50..70us fusion.1 [run_id=$i]
         end",
    );
    assert_text(
        &steps(&session),
        "0: host0 0us..90us, CPU:0 0us..90us work 50us..70us
         1: host0 100us..190us, CPU:0 100us..190us work 150us..170us
         2: host0 200us..290us, CPU:0 200us..290us work 250us..270us",
    );
}

/// A step without device work among asynchronous ones keeps its place; its annotation is no step time.
#[test]
fn a_step_that_launched_nothing_is_cut() {
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
        "0: TPU:0 0us..45us work 5us..45us
         1 cut: host0 10us..20us
         2 cut: TPU:0 45us..140us work 100us..140us",
    );
}

/// Calls of one function start its runs in their order: no arrow says so on XLA:CPU.
#[test]
fn runs_of_a_cpu_belong_to_the_calls_in_their_order() {
    let session = session(
        "thread python
         repeat 3 every 10us
           0..8us train #step_num=$i,_r=1#
           1..7us PjitFunction(step)
           2..6us PjitFunction(step)
         end
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           3..33us   fusion.1 [run_id=7]
           40..70us  fusion.1 [run_id=8]
           80..110us fusion.1 [run_id=9]",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: CPU:0 0us..33us work 3us..33us
         1: CPU:0 33us..70us work 40us..70us
         2 cut: CPU:0 70us..110us work 80us..110us",
    );
}

/// The first run was called before the recording began, and the last calls have not run.
#[test]
fn runs_and_calls_that_are_left_over_cut_steps() {
    let session = session(
        "thread python
         repeat 4 every 10us
           10..18us train #step_num=$i,_r=1#
           11..17us PjitFunction(step)
         end
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           0..30us   fusion.1 [run_id=7]
           40..70us  fusion.1 [run_id=8]
           80..110us fusion.1 [run_id=9]",
    );
    assert_text(
        &steps(&session),
        "0: CPU:0 30us..70us work 40us..70us
         2 cut: host0 30us..38us
         3 cut: host0 40us..48us
         1 cut: CPU:0 70us..110us work 80us..110us",
    );
}

/// Annotated from jax's hook after each run, whose call is still open: the work follows the
/// annotation. The recording ends in the last call, which is missing; only its execution is there.
const HOOKED: &str = "thread python
           0..13us    train #step_num=5,_r=1#
           10..15us   PjitFunction(step)
           11..12us   TfrtCpuExecutable::Execute
           14..113us  train #step_num=6,_r=1#
           110..115us PjitFunction(step)
           111..112us TfrtCpuExecutable::Execute
           114..513us train #step_num=7,_r=1#
           510..515us PjitFunction(step)
           511..512us TfrtCpuExecutable::Execute
           514..613us train #step_num=8,_r=1#
           611..612us TfrtCpuExecutable::Execute
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           20..90us   fusion.1 [run_id=7]
           120..190us fusion.1 [run_id=8]
           520..590us fusion.1 [run_id=9]
           620..690us fusion.1 [run_id=10]";

/// All are whole, and what delays the launch of step 7 is in step 7.
#[test]
fn steps_that_were_annotated_inside_calls_end_with_their_work() {
    let session = session(HOOKED);
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "5: CPU:0 0us..90us work 20us..90us
         6: CPU:0 90us..190us work 120us..190us
         7: CPU:0 190us..590us work 520us..590us
         8: CPU:0 590us..690us work 620us..690us",
    );
}

/// The program raised in step 9: its annotation ended, and launched nothing.
#[test]
fn a_step_that_failed_before_its_call_is_cut() {
    let failed = HOOKED.replace(
        "         thread tf",
        "           610..615us PjitFunction(step)
           614..700us train #step_num=9,_r=1#
         thread tf",
    );
    assert_text(
        &steps(&session(&failed)),
        "5: CPU:0 0us..90us work 20us..90us
         6: CPU:0 90us..190us work 120us..190us
         7: CPU:0 190us..590us work 520us..590us
         8: CPU:0 590us..690us work 620us..690us
         9 cut: host0 690us..700us",
    );
}

/// Nothing shows the last call. The runs before it lie within the annotations after their own; one
/// run without a known launch, after all annotations, does not speak against them.
#[test]
fn a_last_run_whose_call_is_missing_leaves_the_other_steps_alone() {
    let silent: Vec<&str> = HOOKED
        .lines()
        .filter(|line| !line.contains("Execute"))
        .collect();
    let session = session(&silent.join("\n"));
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "5 cut: host0 0us..13us, CPU:0 0us..13us
         6: host0 14us..113us, CPU:0 14us..113us work 20us..90us
         7: host0 114us..513us, CPU:0 114us..513us work 120us..190us
         8: host0 514us..613us, CPU:0 514us..613us work 520us..590us",
    );
}

/// A loop that runs ahead, annotated from the hook: the last call is missing here, too.
#[test]
fn runs_ahead_of_their_annotations_belong_to_calls_that_were_open() {
    let session = session(
        "thread python
           0..3us   train #step_num=5,_r=1#
           0..5us   PjitFunction(step)
           1..2us   TfrtCpuExecutable::Execute
           4..13us  train #step_num=6,_r=1#
           10..15us PjitFunction(step)
           11..12us TfrtCpuExecutable::Execute
           14..23us train #step_num=7,_r=1#
           21..22us TfrtCpuExecutable::Execute
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           30..60us   fusion.1 [run_id=7]
           60..90us   fusion.1 [run_id=8]
           90..120us  fusion.1 [run_id=9]",
    );
    assert_text(
        &steps(&session),
        "5: CPU:0 30us..60us work 30us..60us
         6: CPU:0 60us..90us work 60us..90us
         7 cut: CPU:0 90us..120us work 90us..120us",
    );
}

/// A window of one step has no call that was recorded, but its execution.
#[test]
fn one_step_of_the_hook_ends_with_its_work() {
    let session = session(
        "thread python
           0..13us train #step_num=5,_r=1#
           11..12us TfrtCpuExecutable::Execute
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           20..90us fusion.1 [run_id=7]",
    );
    assert_text(&steps(&session), "5: CPU:0 0us..90us work 20us..90us");
}

/// The profiler stopped before anything ran: how long dispatch takes is no step time.
#[test]
fn steps_whose_work_never_ran_are_cut() {
    let session = session(
        "thread python
         repeat 2 every 10us
           0..8us train #step_num=$i,_r=1#
           1..7us PjitFunction(step)
         end",
    );
    assert_text(
        &steps(&session),
        "0 cut: host0 0us..8us
         1 cut: host0 10us..18us",
    );
}

/// Launches that lie on a row of their own, as recent JAX records them.
#[test]
fn kernels_belong_to_the_step_that_was_open_at_their_launch() {
    let session = session(
        "thread python
         repeat 3 every 10us
           0..8us train #step_num=$i,_r=1#
         end
         thread Host Threads/77
           2..3us   cuLaunchKernel [correlation_id=1]
           12..13us cuLaunchKernel [correlation_id=2]
           22..23us cuLaunchKernel [correlation_id=3]
         device gpu:0 nvidia H100
         stream 7 Compute
           5..35us   gemm [hlo_op=dot.1 hlo_module=jit_step program_id=5 correlation_id=1]
           40..70us  gemm [hlo_op=dot.1 hlo_module=jit_step program_id=5 correlation_id=2]
           80..110us gemm [hlo_op=dot.1 hlo_module=jit_step program_id=5 correlation_id=3]",
    );
    assert_text(
        &steps(&session),
        "0: GPU:0 0us..35us work 5us..35us
         1: GPU:0 35us..70us work 40us..70us
         2 cut: GPU:0 70us..110us work 80us..110us",
    );
}

/// Nothing says which annotation launched which run: the cadence of the device is the step.
#[test]
fn without_launches_the_cadence_of_the_device_tells() {
    let session = session(
        "thread python
         repeat 3 every 10us
           0..8us train #step_num=$i,_r=1#
         end
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5)
           50..95us   jit_step(5)
           100..140us jit_step(5)",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::Cadence));
    assert_text(
        &steps(&session),
        "0: TPU:0 5us..50us work 5us..45us
         1: TPU:0 50us..100us work 50us..95us
         2 cut: TPU:0 100us..140us work 100us..140us",
    );
}

#[test]
fn annotations_of_different_names_are_series() {
    let session = session(
        "thread python
           0..10us  train #step_num=0,_r=1#
           10..20us train #step_num=1,_r=1#
           20..90us eval #step_num=0,_r=1#",
    );
    let series: Vec<&str> = session
        .steps
        .iter()
        .filter_map(|step| Some(session.text(step.series?)))
        .collect();
    assert_eq!(series, ["train", "train", "eval"]);
}

/// An evaluation takes longer than all steps together, and runs less often.
#[test]
fn the_program_that_runs_most_often_tells_the_steps() {
    let session = session(
        "device tpu:0 v6e
         line XLA Modules
           0..10us    jit_step(5)
           20..30us   jit_step(5)
           40..50us   jit_step(5)
           60..100us  jit_eval(6)
           110..120us jit_step(5)
           130..170us jit_eval(6)",
    );
    let counted = session.steps.iter().filter(|step| !step.is_cut).count();
    assert_eq!((session.steps.len(), counted), (4, 3));
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
    let session = crate::support::sessions(&[text, text]);
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
         1 cut: TPU:0 150us..200us work 150us..190us, TPU:1 151us..191us work 151us..191us
         2 cut: TPU:0 200us..240us work 200us..240us",
    );
}

/// Keys are split seven times, and a training loop runs as one program: its iterations are no runs.
#[test]
fn next_to_nothing_makes_no_steps() {
    let with_loop = |end_us: u32| {
        session(&format!(
            "device tpu:0 v6e
             line XLA Modules
             repeat 7 every 10us
               0..1us jit_split(5)
             end
               100..{end_us}us jit_train(6)"
        ))
    };
    assert_eq!(with_loop(400).steps.len(), 0);
    // Where initialization took a while, steps are steps.
    assert_eq!(with_loop(200).steps.len(), 7);
}

#[test]
fn one_run_is_no_step() {
    let session = session("device tpu:0 v6e\n line XLA Modules\n 0..90us jit_f(1)");
    assert_eq!((session.steps.len(), session.step_origin), (0, None));
}
