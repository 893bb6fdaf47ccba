//! Steps of loops that launch the next one before the devices have finished this one.

use stepscope_model::{Picos, Session, Span, StepOrigin};

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

/// The host runs ahead: a step lasts on the device from the end of the work before to the end of its own.
#[test]
fn with_asynchronous_dispatch_device_spans_are_periods() {
    let session = ahead(30);
    assert_eq!(session.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&session),
        "0: TPU:0 0us..45us work 5us..45us
         1: TPU:0 45us..95us work 50us..95us
         2 cut: TPU:0 95us..140us work 100us..140us",
    );
}

/// The last step's end is that of its annotation, where it is after its work: here an evaluation.
#[test]
fn the_last_step_of_a_loop_that_runs_ahead_ends_with_its_annotation() {
    assert_text(
        &steps(&ahead(200)),
        "0: TPU:0 0us..45us work 5us..45us
         1: TPU:0 45us..95us work 50us..95us
         2: TPU:0 95us..200us work 100us..140us",
    );
}

/// A batch comes late, within the annotation of step 2: the device waits for it in step 2, not in the
/// step before. Once the host is ahead again, steps follow one another.
#[test]
fn a_wait_that_the_host_causes_within_a_step_is_part_of_that_step() {
    let session = session(
        "thread python
           0..10us    train #step_num=0,_r=1#
           10..20us   train #step_num=1,_r=1#
           20..160us  train #step_num=2,_r=1#
           160..170us train #step_num=3,_r=1#
           170..180us train #step_num=4,_r=1#
           1..2us     launch [run_id=70]
           11..12us   launch [run_id=71]
           22..150us  read_batch
           155..156us launch [run_id=72]
           161..162us launch [run_id=73]
           171..172us launch [run_id=74]
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5) [run_id=70]
           45..85us   jit_step(5) [run_id=71]
           156..196us jit_step(5) [run_id=72]
           197..237us jit_step(5) [run_id=73]
           237..277us jit_step(5) [run_id=74]",
    );
    assert_text(
        &steps(&session),
        "0: TPU:0 0us..45us work 5us..45us
         1: TPU:0 45us..85us work 45us..85us
         2: TPU:0 85us..196us work 156us..196us
         3: TPU:0 196us..237us work 197us..237us
         4 cut: TPU:0 237us..277us work 237us..277us",
    );
}

/// After the work of step 1, its annotation goes on, and the host saves something before it begins step
/// 2: the device waits for both in step 1.
#[test]
fn what_the_host_does_before_the_next_annotation_is_part_of_the_step() {
    let text = "thread python
           0..10us    train #step_num=0,_r=1#
           10..100us  train #step_num=1,_r=1#
           150..170us train #step_num=2,_r=1#
           170..180us train #step_num=3,_r=1#
           1..2us     launch [run_id=70]
           11..12us   launch [run_id=71]
           110..140us SaveCheckpoint
           160..161us launch [run_id=72]
           171..172us launch [run_id=73]
         device tpu:0 v6e
         line XLA Modules
           5..45us    jit_step(5) [run_id=70]
           45..85us   jit_step(5) [run_id=71]
           161..201us jit_step(5) [run_id=72]
           201..241us jit_step(5) [run_id=73]";
    assert_text(
        &steps(&session(text)),
        "0: TPU:0 0us..45us work 5us..45us
         1: TPU:0 45us..150us work 45us..85us
         2: TPU:0 150us..201us work 161us..201us
         3 cut: TPU:0 201us..241us work 201us..241us",
    );
    // What it loads there is for the next step, but not what it loads before it saves.
    let text = text.replace("110..140us SaveCheckpoint", "110..140us IteratorGetNext");
    let begins = |text: &str| {
        let session = session(text);
        session.steps[2].spans[0].span.start.0 / 1_000_000
    };
    assert_eq!(begins(&text), 110);
    let saves = text.replace("GetNext", "GetNext\n145..148us SaveCheckpoint");
    assert_eq!(begins(&saves), 150);
}

/// The capture began before the first step: its compilation belongs to it. So it does on the device that
/// a second stage of the model runs on.
#[test]
fn the_first_step_begins_with_its_annotation_if_the_host_kept_the_devices_waiting() {
    let session = session(
        "thread python
           10..100us  train #step_num=0,_r=1#
           100..110us train #step_num=1,_r=1#
           110..120us train #step_num=2,_r=1#
           12..90us   backend_compile
           95..96us   launch [run_id=70]
           96..97us   launch [run_id=80]
           101..102us launch [run_id=71]
           102..103us launch [run_id=81]
           111..112us launch [run_id=72]
           112..113us launch [run_id=82]
         device tpu:0 v6e
         line XLA Modules
           101..137us jit_first(5) [run_id=70]
           137..177us jit_first(5) [run_id=71]
           177..217us jit_first(5) [run_id=72]
         device tpu:1 v6e
         line XLA Modules
           137..177us jit_second(6) [run_id=80]
           177..217us jit_second(6) [run_id=81]
           217..257us jit_second(6) [run_id=82]",
    );
    assert_text(
        &steps(&session),
        "0: TPU:0 10us..137us work 101us..137us, TPU:1 10us..177us work 137us..177us
         1: TPU:0 137us..177us work 137us..177us, TPU:1 177us..217us work 177us..217us
         2 cut: TPU:0 177us..217us work 177us..217us, TPU:1 217us..257us work 217us..257us",
    );
}

/// The host was at step 6 when the work of step 5 began: what the device did before was not recorded, and
/// is not a wait of step 5.
#[test]
fn a_capture_in_the_middle_of_a_loop_does_not_take_unrecorded_work_for_a_wait() {
    let session = session(
        "thread python
           0..10us  train #step_num=5,_r=1#
           10..20us train #step_num=6,_r=1#
           1..2us   launch [run_id=70]
           11..12us launch [run_id=71]
         device tpu:0 v6e
         line XLA Modules
           35..75us  jit_step(5) [run_id=70]
           75..115us jit_step(5) [run_id=71]",
    );
    assert_text(
        &steps(&session),
        "5: TPU:0 35us..75us work 35us..75us
         6 cut: TPU:0 75us..115us work 75us..115us",
    );
}

/// Without annotations, a step begins with its work, but with its call if that compiled: here the second
/// one, for another shape. What the host does before a call may be of either step.
#[test]
fn inferred_steps_begin_with_calls_that_compile() {
    let session = session(
        "thread python
           1..9us     PjitFunction(step)
           60..160us  PjitFunction(step)
           70..150us  backend_compile
           165..170us PjitFunction(step)
           175..180us PjitFunction(step)
         thread tf_XLAEigen/42
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           10..40us   fusion.1 [run_id=7]
           155..185us fusion.1 [run_id=8]
           190..220us fusion.1 [run_id=9]
           220..250us fusion.1 [run_id=10]",
    );
    assert_eq!(session.step_origin, Some(StepOrigin::ProgramRuns));
    assert_text(
        &steps(&session),
        "0: CPU:0 10us..60us work 10us..40us
         1: CPU:0 60us..190us work 155us..185us
         2: CPU:0 190us..220us work 190us..220us
         3 cut: CPU:0 220us..250us work 220us..250us",
    );
}

/// The recording begins in the middle of a loop that lets two steps wait: two runs belong to calls from
/// before, the second of which begins only after the first recorded call. The loop ends with a wait, and
/// the recording goes on for longer than the device ever paused.
#[test]
fn runs_in_flight_when_the_recording_begins_belong_to_no_annotation() {
    let drawn = |end_us: u32| {
        session(&format!(
            "thread python
               0..{end_us}us $train.py:1 main
               1..9us     train #step_num=20,_r=1#
               2..4us     PjitFunction(step)
               41..49us   train #step_num=21,_r=1#
               42..44us   PjitFunction(step)
               81..89us   train #step_num=22,_r=1#
               82..84us   PjitFunction(step)
             thread tf_XLAEigen/1
             repeat 5 every 40us
               5..44us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i]
             end
             program 5 jit_step
               h.0 = f32[32,32] parameter(0)
               w.1 = f32[32,32] parameter(1)
               dot.2 = f32[32,32] dot(h.0, w.1)
               ROOT add.3 = f32[32,32] add(h.0, dot.2)"
        ))
    };
    let known = drawn(210);
    assert_eq!(known.step_origin, Some(StepOrigin::Annotation));
    assert_text(
        &steps(&known),
        "20: CPU:0 84us..124us work 85us..124us
         21: CPU:0 124us..164us work 125us..164us
         22 cut: CPU:0 164us..204us work 165us..204us",
    );
    // The recording ends with the last run: nothing says whether more calls wait.
    assert_eq!(drawn(204).step_origin, Some(StepOrigin::Cadence));
}

/// Another thread evaluates on the same device now and then: its run outlasts the step in which it began,
/// and is no work of that step, which the loop waits for.
#[test]
fn runs_that_another_thread_launches_are_no_work_of_the_annotated_steps() {
    let session = session(
        "thread python
         repeat 4 every 100us
           0..90us train #step_num=$i,_r=1#
           1..3us  PjitFunction(step)
         end
         thread evaluation
           55..58us PjitFunction(evaluate)
         thread tf_XLAEigen/1
         repeat 4 every 100us
           10..80us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i]
         end
         thread tf_XLAEigen/2
           60..240us dot.3 [hlo_op=dot.3 hlo_module=jit_evaluate program_id=6 device_ordinal=0 run_id=20]",
    );
    assert_text(
        &steps(&session),
        "0: host0 0us..90us, CPU:0 0us..90us work 10us..80us
         1: host0 100us..190us, CPU:0 100us..190us work 110us..180us
         2: host0 200us..290us, CPU:0 200us..290us work 210us..280us
         3: host0 300us..390us, CPU:0 300us..390us work 310us..380us",
    );
}

/// What is loaded for a step is looked for on the thread of its annotation, also where a row of program
/// runs, which XLA:CPU does not record, comes before that thread.
#[test]
fn what_a_cpu_loop_loads_before_an_annotation_is_part_of_that_step() {
    let session = session(
        "thread python
           0..10us    train #step_num=0,_r=1#
           10..100us  train #step_num=1,_r=1#
           150..170us train #step_num=2,_r=1#
           170..180us train #step_num=3,_r=1#
           1..2us     PjitFunction(step)
           11..12us   PjitFunction(step)
           110..140us IteratorGetNext
           160..161us PjitFunction(step)
           171..172us PjitFunction(step)
         thread tf_XLAEigen/1
         each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
           5..45us    dot.2 [run_id=70]
           45..85us   dot.2 [run_id=71]
           161..201us dot.2 [run_id=72]
           201..241us dot.2 [run_id=73]",
    );
    let begin = session.steps[2].spans[0].span.start.0 / 1_000_000;
    assert_eq!(begin, 110);
}

/// A learner and an actor that each annotate steps and wait for their work: a launch belongs to the last
/// annotation of its own thread, in whichever one of the other it is.
#[test]
fn a_launch_belongs_to_an_annotation_of_its_own_thread() {
    let session = session(
        "thread learner
         repeat 4 every 100us
           40..60us learn #step_num=$i,_r=1#
           41..43us PjitFunction(learn)
         end
         thread actor
         repeat 4 every 100us
           0..90us  step #step_num=$i,_r=1#
           5..6us   PjitFunction(act)
           50..51us PjitFunction(act)
         end
         thread tf_XLAEigen/1
         repeat 4 every 100us
           45..55us dot.2 [hlo_op=dot.2 hlo_module=jit_learn program_id=5 device_ordinal=0 run_id=1$i]
         end
         thread tf_XLAEigen/2
         each [hlo_op=$name hlo_module=jit_act program_id=6 device_ordinal=0]
           10..20us   dot.3 [run_id=20]
           65..75us   dot.3 [run_id=21]
           110..120us dot.3 [run_id=22]
           165..175us dot.3 [run_id=23]
           210..220us dot.3 [run_id=24]
           265..275us dot.3 [run_id=25]
           310..320us dot.3 [run_id=26]
           365..375us dot.3 [run_id=27]",
    );
    let of = |name: &str| {
        let own = session.steps.iter().filter(|step| {
            let series = step.series.expect("a series");
            session.strings.get(series) == name
        });
        own.flat_map(|step| &step.spans)
            .map(|on| (on.device.is_some(), on.span, on.work))
            .collect::<Vec<_>>()
    };
    let us = |start: i64, end: i64| Span::new(Picos(start * 1_000_000), Picos(end * 1_000_000));
    let expected = |(start, end): (i64, i64), work: (i64, i64)| -> Vec<_> {
        let steps = (0..4).map(|step| step * 100);
        let spans = |at: i64| {
            let span = us(at + start, at + end);
            let work = us(at + work.0, at + work.1);
            [(false, span, None), (true, span, Some(work))]
        };
        steps.flat_map(spans).collect()
    };
    assert_eq!(of("learn"), expected((40, 60), (45, 55)));
    assert_eq!(of("step"), expected((0, 90), (10, 75)));
}

/// A thread that launches what another one's annotations wait for, and annotates something now and then,
/// has no loop of its own.
#[test]
fn a_thread_that_launches_for_another_may_annotate_something() {
    let session = session(
        "thread python
         repeat 4 every 100us
           0..90us train #step_num=$i,_r=1#
         end
         thread worker
         repeat 4 every 100us
           5..8us  PjitFunction(step)
         end
           102..104us check #step_num=0,_r=1#
           203..204us check #step_num=1,_r=1#
         thread tf_XLAEigen/1
         repeat 4 every 100us
           10..80us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i]
         end",
    );
    let works = session.steps.iter().flat_map(|step| &step.spans);
    let works = works.filter_map(|on| on.work).count();
    assert_eq!((session.steps.len(), works), (6, 4));
}
