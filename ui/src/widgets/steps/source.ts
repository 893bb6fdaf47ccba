/** Explains how steps were found, and which are not counted. */
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

/** `; without step 0, which compiles`, for steps that warm up and are in no figure. */
export function withoutWarmUp(numbers: readonly number[] = []): string {
  if (numbers.length === 0) return '';
  if (numbers.length === 1) return `; without step ${String(numbers[0])}, which compiles`;
  return `; without steps ${numbers.join(' and ')}, which compile`;
}

/** The lines that record steps. */
export const CODE_STEPS =
  'for step in range(steps):\n    with jax.profiler.StepTraceAnnotation("train", step_num=step):\n        state = train_step(state, batch)';
