/** How steps were found, in words. */
import type { StepSource } from '../../wire/generated/StepSource';

export function sourceText(source: StepSource): { short: string; long: string } {
  switch (source) {
    case 'step_line':
      return { short: 'recorded by the device', long: 'From the Steps line the device recorded.' };
    case 'annotation':
      return {
        short: 'from step annotations',
        long: 'From StepTraceAnnotation slices on a host thread.',
      };
    case 'cadence':
      return {
        short: "from the device's cadence",
        long: 'Steps are annotated, but which work an annotation launched was not recorded. A step is the time from one run of the program that dominates the device to its next.',
      };
    case 'program_runs':
      return {
        short: 'inferred from program runs',
        long: 'Nothing marks steps in this profile. They are inferred from repeated runs of the program that dominates the device.',
      };
  }
}

/** The lines that record steps. */
export const CODE_STEPS =
  'for step in range(steps):\n    with jax.profiler.StepTraceAnnotation("train", step_num=step):\n        state = train_step(state, batch)';
