/** Where incidents stand on the chart of their run's steps. Pure. */
import type { Incident } from '../../wire/generated/Incident';
import type { RecordedRun } from '../../wire/generated/RecordedRun';
import type { RunPoint } from '../../wire/generated/RunPoint';

/** An incident on the chart; its value is null if the ring no longer holds its step. */
export interface Mark {
  incident: Incident;
  atMs: number;
  valuePs: number | null;
}

/** The incidents of a run, oldest first: each at its step, or at the time when it was noticed. */
export function marksOf(run: RecordedRun, incidents: readonly Incident[]): Mark[] {
  return incidents
    .filter((incident) => incident.run === run.name)
    .map((incident) => {
      const point = pointOf(run.points, incident.step);
      return {
        incident,
        atMs: point?.ended_epoch_ms ?? incident.epoch_ms,
        valuePs: point?.longest_ps ?? null,
      };
    })
    .sort((one, other) => one.atMs - other.atMs);
}

function pointOf(points: readonly RunPoint[], step: number | null): RunPoint | undefined {
  if (step === null) return undefined;
  return points.find((point) => point.step_first <= step && step <= point.step_last);
}

/** From the first to the last thing on the chart. */
export function timesOf(run: RecordedRun, marks: readonly Mark[]): { from: number; to: number } {
  const charted = [run.points, ...run.metrics.map((metric) => metric.points)];
  // Points are in order.
  const ends = charted.flatMap((points) => [points[0], points.at(-1)]);
  const all = [
    ...ends.flatMap((point) => (point ? [point.ended_epoch_ms] : [])),
    ...marks.map((mark) => mark.atMs),
  ];
  return all.length === 0 ? { from: 0, to: 1 } : { from: Math.min(...all), to: Math.max(...all) };
}

/** `step 60`, or the steps that share a point. */
export function stepsText(point: Pick<RunPoint, 'step_first' | 'step_last'>): string {
  return point.step_first === point.step_last
    ? `step ${point.step_first}`
    : `steps ${point.step_first} to ${point.step_last}`;
}

/** The session of an incident's capture; null if it is not here. */
export function sessionOf(incident: Incident): string | null {
  return incident.captures.find((capture) => capture.session !== null)?.session ?? null;
}

/** Runs with incidents first, the latest of each kind first. */
export function runsInOrder(
  runs: readonly RecordedRun[],
  incidents: readonly Incident[],
): RecordedRun[] {
  const having = new Set(incidents.map((incident) => incident.run));
  const latest = [...runs].reverse();
  return [
    ...latest.filter((run) => having.has(run.name)),
    ...latest.filter((run) => !having.has(run.name)),
  ];
}
