import { expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import { FIRST_CHOICES, filterPattern, placeRows } from './layout';
import { Rows } from './rows';
import type { Scene } from './scene';

const track = (number: number, name: string) => ({
  track: number,
  name,
  role: 'ops',
  lanes: 1,
  folded: false,
  slice_count: 5,
  counter_min: null,
  counter_max: null,
  counter_unit: '',
});
const report: TimelineReport = {
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 1000,
  slice_count: 10,
  groups: [
    { name: 'TPU:0', kind: 'device', device_index: 0, tracks: [track(0, 'XLA Ops')] },
    { name: 'TPU:1', kind: 'device', device_index: 1, tracks: [track(1, 'XLA Ops')] },
  ],
  steps: [],
  notes: [],
};

function rowsFilteredBy(text: string): Rows {
  const choices = { ...FIRST_CHOICES, filter: filterPattern(text), filterText: text };
  const geometry = { height: 300, headHeight: 60, pinnedHeight: 0, scrollY: 0 };
  const scene = { report, layout: placeRows(report, choices), geometry } as unknown as Scene;
  return new Rows(scene, choices, () => undefined);
}

test('a jump to a track that the filter hides ends the filter, and its text with it', () => {
  const rows = rowsFilteredBy('TPU:0');
  rows.revealTrack(1, 0);
  const { filter, filterText } = rows.choices[0]();
  expect([filter, filterText]).toEqual([null, '']);
  expect(rows.layout[0]().rowOfTrack.has(1)).toBe(true);
});

test('a jump to a track that the filter shows leaves it as it is', () => {
  const rows = rowsFilteredBy('TPU:0');
  rows.revealTrack(0, 0);
  expect(rows.choices[0]().filterText).toBe('TPU:0');
});
