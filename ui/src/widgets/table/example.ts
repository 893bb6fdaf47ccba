/** The figure that a table suggests to filter by. Pure. */
import type { Kind } from '../../format/numbers';

/** Moments, which have a unit of time, but which nobody compares with a duration. */
const MOMENT = /(^|_)(start|offset|first|allocated|freed|at)_ps$/;

/** The first column of durations, or else of bytes. */
export function exampleOf<Column extends { key: string; kind?: Kind | undefined }>(
  columns: readonly Column[],
): Column | undefined {
  return (
    columns.find(({ key, kind }) => kind === 'duration' && !MOMENT.test(key)) ??
    columns.find(({ kind }) => kind === 'bytes')
  );
}
