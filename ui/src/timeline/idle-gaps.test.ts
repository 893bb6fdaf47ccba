import { expect, test } from 'vitest';

import type { GapRow } from '../wire/generated/GapRow';
import type { IdleReport } from '../wire/generated/IdleReport';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { firstGapAfter, gapsOf, gapsOn } from './idle-gaps';
import { FIRST_CHOICES, placeRows, type LayoutChoices } from './layout';
import { FIRST_MERGED } from './merged-track';
import type { Scene } from './scene';

const gap = (device_index: number, start_ps: number, duration_ps: number) =>
  ({ device_index, start_ps, duration_ps, cause: 'data_loading' }) as GapRow;
const idle = gapsOf({ rows: [gap(0, 50, 10), gap(1, 0, 5), gap(0, 10, 20)] } as IdleReport);

const track = (number: number, role: string, slice_count: number) => ({
  track: number,
  name: `t${number}`,
  role,
  lanes: 1,
  folded: false,
  slice_count,
  counter_min: null,
    counter_max: null,
  counter_unit: '',
});
const report: TimelineReport = {
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 100,
  slice_count: 1,
  groups: [
    {
      name: 'CPU:0',
      kind: 'device',
      device_index: 0,
      tracks: [track(0, 'programs', 99), track(1, 'ops', 5), track(2, 'ops', 7)],
    },
    {
      name: 'GPU:1',
      kind: 'device',
      device_index: 1,
      tracks: [track(3, 'stream', 2), track(4, 'stream', 8)],
    },
    { name: 'threads', kind: 'host', device_index: null, tracks: [track(5, 'host_thread', 1)] },
  ],
  steps: [],
  notes: [],
};

/** The rows on which gaps are drawn, with how many. */
function drawnOn(changes: Partial<LayoutChoices> = {}) {
  const layout = placeRows(report, { ...FIRST_CHOICES, ...changes });
  const scene = { layout, idle } as Scene;
  return layout.rows.flatMap((row) => {
    const count = gapsOn(scene, row).length;
    return count > 0 ? [[row.kind === 'group' ? row.group.name : row.track.track, count]] : [];
  });
}

test('gaps are sorted by device and start', () => {
  expect(idle.get(0)!.map((one) => one.start_ps)).toEqual([10, 50]);
  expect(firstGapAfter(idle.get(0)!, 29)).toBe(0);
  expect(firstGapAfter(idle.get(0)!, 30)).toBe(1);
  expect(firstGapAfter(idle.get(0)!, 60)).toBe(2);
});

test('gaps are drawn once per device: on the merged row, else on the row with most work', () => {
  expect(drawnOn()).toEqual([
    [FIRST_MERGED + 1, 2],
    [4, 1],
  ]);
  // With its threads shown, the merged row still has them.
  expect(drawnOn({ toggledFolds: new Set([FIRST_MERGED + 1]) })).toEqual([
    [FIRST_MERGED + 1, 2],
    [4, 1],
  ]);
});

test('a closed device has its gaps on the strip', () => {
  expect(drawnOn({ closedGroups: new Set(['CPU:0']) })).toEqual([
    ['CPU:0', 2],
    [4, 1],
  ]);
});
