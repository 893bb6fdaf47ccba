/** Explains how steps were found. */
import type { StepSource } from '../../wire/generated/StepSource';

/** `marks`: what marks a step, such as the name of the annotation, where it is known. */
export function sourceText(source: StepSource, marks: readonly string[] = []): { short: string; long: string } {
  const runs = marks.length > 1 ? `rounds of ${marks.join(', ')}` : `runs of ${marks[0] ?? 'programs'}`;
  switch (source) {
    case 'step_line':
      return { short: 'recorded by the device', long: 'From the Steps line recorded by the device.' };
    case 'annotation':
      return {
        short: marks[0] === undefined ? 'from step annotations' : `annotated as ${marks[0]}`,
        long: 'From StepTraceAnnotation slices on a host thread.',
      };
    case 'cadence':
      return {
        short: `from the device's cadence: ${runs}`,
        long: 'Steps are annotated, but the work that each annotation launched was not recorded. A step lasts from one run of the main program to the next.',
      };
    case 'program_runs':
      return {
        short: `inferred from ${runs}`,
        long: 'This profile has no step markers. A step lasts from one run of the main program to the next.',
      };
  }
}

/** The lines that record steps. */
export const CODE_STEPS =
  'for step in range(steps):\n    with jax.profiler.StepTraceAnnotation("train", step_num=step):\n        state = train_step(state, batch)';
