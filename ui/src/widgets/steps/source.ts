/** Explains how steps were found. */
import type { StepSource } from '../../wire/generated/StepSource';

export function sourceText(source: StepSource): { short: string; long: string } {
  switch (source) {
    case 'step_line':
      return { short: 'recorded by the device', long: 'From the Steps line recorded by the device.' };
    case 'annotation':
      return {
        short: 'from step annotations',
        long: 'From StepTraceAnnotation slices on a host thread.',
      };
    case 'cadence':
      return {
        short: "from the device's cadence",
        long: 'Steps are annotated, but the work that each annotation launched was not recorded. A step lasts from one run of the main program to the next.',
      };
    case 'program_runs':
      return {
        short: 'inferred from program runs',
        long: 'This profile has no step markers. A step lasts from one run of the main program to the next.',
      };
  }
}

/** The lines that record steps. */
export const CODE_STEPS =
  'for step in range(steps):\n    with jax.profiler.StepTraceAnnotation("train", step_num=step):\n        state = train_step(state, batch)';
