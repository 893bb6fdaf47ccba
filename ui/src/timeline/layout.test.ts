import { describe, expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackReport } from '../wire/generated/TrackReport';
import {
  COUNTER_HEIGHT,
  FIRST_CHOICES,
  filterPattern,
  GROUP_HEIGHT,
  groupRowOf,
  LANE_HEIGHT,
  placeRows,
  rowAt,
  rowsBetween,
  TRACK_GAP,
  type LayoutChoices,
  type TrackRow,
} from './layout';

const track = (number: number, name: string, changes: Partial<TrackReport> = {}): TrackReport => ({
  track: number,
  name,
  role: 'ops',
  lanes: 1,
  folded: false,
  slice_count: 5,
  counter_min: null,
    counter_max: null,
  counter_unit: '',
  ...changes,
});
const report: TimelineReport = {
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 1000,
  slice_count: 30,
  groups: [
    {
      name: 'host / TPU:0',
      kind: 'device',
      device_index: 0,
      tracks: [
        track(0, 'Steps', { role: 'steps' }),
        track(1, 'XLA Ops', { lanes: 3 }),
        track(2, 'HBM', { role: 'counter' }),
      ],
    },
    {
      name: 'host / threads',
      kind: 'host',
      device_index: null,
      tracks: [track(3, 'python', { role: 'python', lanes: 40, folded: true }), track(4, 'main')],
    },
  ],
  steps: [],
  notes: [],
};
const choices = (changes: Partial<LayoutChoices> = {}): LayoutChoices => ({
  ...FIRST_CHOICES,
  ...changes,
});
const names = (changes: Partial<LayoutChoices>) =>
  placeRows(report, choices(changes)).rows.map((row) =>
    row.kind === 'group' ? `# ${row.group.name}` : row.track.name,
  );

describe('placeRows', () => {
  test('rows follow each other without gaps or overlaps', () => {
    const { rows, height } = placeRows(report, choices());
    let y = 0;
    for (const row of rows) {
      expect(row.y).toBe(y);
      y += row.height;
    }
    expect(y).toBe(height);
    expect(rows.map((row) => row.height)).toEqual([
      GROUP_HEIGHT,
      LANE_HEIGHT + TRACK_GAP,
      3 * LANE_HEIGHT + TRACK_GAP,
      COUNTER_HEIGHT + TRACK_GAP,
      GROUP_HEIGHT,
      LANE_HEIGHT + TRACK_GAP,
      LANE_HEIGHT + TRACK_GAP,
    ]);
  });

  test('python is folded until the user unfolds it', () => {
    const folded = placeRows(report, choices()).rowOfTrack.get(3);
    expect([folded?.isFolded, folded?.laneCount]).toEqual([true, 1]);
    const open = placeRows(report, choices({ toggledFolds: new Set([3]) })).rowOfTrack.get(3);
    expect([open?.isFolded, open?.laneCount]).toEqual([false, 40]);
  });

  test('a closed group keeps its header', () => {
    expect(names({ closedGroups: new Set(['host / TPU:0']) })).toEqual([
      '# host / TPU:0',
      '# host / threads',
      'python',
      'main',
    ]);
  });

  test('hidden tracks are left out and counted', () => {
    const layout = placeRows(report, choices({ hidden: new Set([1, 2]) }));
    expect(layout.hiddenCount).toBe(2);
    expect(layout.rowOfTrack.has(1)).toBe(false);
  });

  test('the filter matches group and track names, and opens closed groups', () => {
    expect(names({ filter: filterPattern('xla|python') })).toEqual([
      '# host / TPU:0',
      'XLA Ops',
      '# host / threads',
      'python',
    ]);
    const closed = new Set(['host / TPU:0']);
    expect(names({ filter: filterPattern('TPU:0 / st'), closedGroups: closed })).toEqual([
      '# host / TPU:0',
      'Steps',
    ]);
    expect(names({ filter: filterPattern('(') })).toEqual([]);
  });

  test('pinned tracks are shown again above, in the order of pinning', () => {
    const layout = placeRows(report, choices({ pinned: [4, 1, 99] }));
    expect(layout.pinned.map((row) => row.track.name)).toEqual(['main', 'XLA Ops']);
    expect(layout.pinned[1]?.y).toBe(LANE_HEIGHT + TRACK_GAP);
    expect(layout.pinnedHeight).toBe(layout.pinned[0]!.height + layout.pinned[1]!.height);
    expect(layout.rowOfTrack.get(4)?.isPinnedCopy).toBe(false);
  });
});

describe('virtualization', () => {
  const { rows, height } = placeRows(report, choices());
  test('agrees with a scan of all rows', () => {
    for (let top = -30; top < height + 30; top += 7) {
      const [first, last] = rowsBetween(rows, top, top + 50);
      const expected = rows.filter((row) => row.y + row.height > top && row.y < top + 50);
      expect(rows.slice(first, last)).toEqual(expected);
      expect(rowAt(rows, top)).toBe(rows.find((row) => top >= row.y && top < row.y + row.height));
    }
  });

  test('finds rows by height', () => {
    expect((rowAt(rows, GROUP_HEIGHT) as TrackRow).track.name).toBe('Steps');
    expect(rowAt(rows, height)).toBeUndefined();
  });
});

test('a device or host is found by the name used in reports', () => {
  const layout = placeRows(report, choices());
  const found = (place: string) => groupRowOf(layout, place)?.group.name;
  expect(found('host/TPU:0')).toBe('host / TPU:0');
  expect(found('host')).toBe('host / TPU:0');
  expect(found('host/threads')).toBe('host / threads');
  expect(found('vm/host/TPU:0')).toBe('host / TPU:0');
  expect(found('TPU:0')).toBeUndefined();
});
