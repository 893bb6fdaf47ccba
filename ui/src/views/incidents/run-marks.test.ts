import { describe, expect, it } from 'vitest';

import type { Incident } from '../../wire/generated/Incident';
import type { RecordedRun } from '../../wire/generated/RecordedRun';
import { marksOf, runsInOrder, sessionOf, stepsText, timesOf } from './run-marks';

function incident(changes: Partial<Incident>): Incident {
  return {
    id: 'one',
    run: 'run',
    kind: 'step',
    what: 'step 12 took 1 s',
    cause: null,
    rule: '3x',
    epoch_ms: 900,
    step: 12,
    rank: 0,
    host: 'vm',
    is_reported: true,
    is_derived: false,
    ranks: [],
    missing_ranks: [],
    captures: [],
    metrics: [],
    folder: '',
    ...changes,
  };
}

const point = (first: number, last: number, endedMs: number, longestPs: number) => ({
  step_first: first,
  step_last: last,
  ended_epoch_ms: endedMs,
  median_ps: 5,
  longest_ps: longestPs,
  longest_step: last,
  longest_rank: 0,
});

const RUN: RecordedRun = {
  name: 'run',
  rank_count: 1,
  ranks_read: [0],
  step_count: 4,
  median_ps: 5,
  points: [point(10, 11, 100, 7), point(12, 13, 200, 90)],
  metrics: [],
};

describe('marks', () => {
  it('stand at the point of their step, else at their time', () => {
    const found = marksOf(RUN, [
      incident({ id: 'stall', step: null, epoch_ms: 950 }),
      incident({ id: 'old', step: 3, epoch_ms: 20 }),
      incident({ id: 'slow' }),
      incident({ id: 'other', run: 'another' }),
    ]);
    expect(found.map(({ incident: { id }, atMs, valuePs }) => [id, atMs, valuePs])).toEqual([
      ['old', 20, null],
      ['slow', 200, 90],
      ['stall', 950, null],
    ]);
    expect(timesOf(RUN, found)).toEqual({ from: 20, to: 950 });
    expect(timesOf({ ...RUN, points: [] }, [])).toEqual({ from: 0, to: 1 });
  });

  it('name the steps of a point', () => {
    expect(RUN.points.map(stepsText)).toEqual(['steps 10 to 11', 'steps 12 to 13']);
    expect(stepsText(point(4, 4, 1, 1))).toBe('step 4');
  });

  it('open the capture that is here', () => {
    const away = { path: '/a', session: null };
    expect(sessionOf(incident({ captures: [away] }))).toBeNull();
    expect(sessionOf(incident({ captures: [away, { path: '/b', session: 'b' }] }))).toBe('b');
  });

  it('bring the latest run with an incident to the front', () => {
    const runs = ['a', 'b', 'c', 'd'].map((name) => ({ ...RUN, name }));
    const incidents = ['a', 'b'].map((run) => incident({ run }));
    expect(runsInOrder(runs, incidents).map(({ name }) => name)).toEqual(['b', 'a', 'd', 'c']);
  });
});
