import { expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';
import { formatClosed, parseClosed } from './address';
import { hostSectionsOf, namesOfAllGroups } from './host-sections';
import { FIRST_CHOICES, firstClosed, groupRowOf, placeRows, type LayoutChoices } from './layout';
import { without } from './sets';

/** Hosts with two devices of two tracks each, and 30 threads. */
function reportOf(hosts: number): TimelineReport {
  let next = 0;
  const tracks = (count: number, role: string) =>
    Array.from({ length: count }, () => ({
      track: next++,
      name: role,
      role,
      lanes: 1,
      folded: false,
      slice_count: 1,
      counter_min: null,
      counter_max: null,
      counter_unit: '',
    }));
  const ofHost = (host: string): TrackGroup[] => [
    ...[0, 1].map((device) => ({
      name: `${host} / TPU:${device}`,
      kind: 'device',
      device_index: device,
      tracks: [...tracks(1, 'programs'), ...tracks(1, 'ops')],
    })),
    {
      name: `${host} / threads`,
      kind: 'host',
      device_index: null,
      tracks: tracks(30, 'host_thread'),
    },
  ];
  const groups = Array.from({ length: hosts }, (_, host) => ofHost(`host-${host}`)).flat();
  return { start_epoch_ns: null, start_ps: 0, end_ps: 1, slice_count: 1, groups, steps: [], notes: [] };
}

const many = reportOf(20);
const choicesOf = (report: TimelineReport, changes: Partial<LayoutChoices> = {}): LayoutChoices => ({
  ...FIRST_CHOICES,
  closedGroups: new Set(firstClosed(report)),
  ...changes,
});
const titles = (report: TimelineReport, choices: LayoutChoices) =>
  placeRows(report, choices).rows.map((row) =>
    row.kind === 'group' ? row.group.name : `track ${row.track.track}`,
  );

test('each of many hosts starts as one row that sums up its devices', () => {
  const { rows, height } = placeRows(many, choicesOf(many));
  expect(rows.map((row) => row.group.name)).toEqual(
    Array.from({ length: 20 }, (_, host) => `host-${host}`),
  );
  expect(rows[1]).toMatchObject({
    kind: 'group',
    isSection: true,
    isClosed: true,
    trackCount: 34,
    summary: [35, 37],
    y: 24,
  });
  expect(height).toBe(20 * 24);
});

test('an open host shows its groups, its threads closed', () => {
  const closedGroups = without(choicesOf(many).closedGroups, 'host-0');
  expect(titles(many, choicesOf(many, { closedGroups })).slice(0, 9)).toEqual([
    'host-0',
    'host-0 / TPU:0',
    'track 0',
    'track 1',
    'host-0 / TPU:1',
    'track 2',
    'track 3',
    'host-0 / threads',
    'host-1',
  ]);
});

test('a filter opens hosts, and hides those without a track that passes', () => {
  const filter = /host-7 \/ TPU:1 \/ ops/;
  const { rows } = placeRows(many, choicesOf(many, { filter, filterText: filter.source }));
  expect(rows.map((row) => row.group.name)).toEqual([
    'host-7',
    'host-7 / TPU:1',
    'host-7 / TPU:1',
  ]);
  expect(rows[0]).toMatchObject({ isSection: true, trackCount: 1 });
});

test('hidden tracks are neither counted nor shown', () => {
  const hidden = new Set([0, 1, 2, 3]);
  const layout = placeRows(many, choicesOf(many, { hidden }));
  expect(layout.rows[0]).toMatchObject({ trackCount: 30 });
  expect(layout.hiddenCount).toBe(4);
});

test('few hosts have no sections', () => {
  const few = reportOf(8);
  expect(hostSectionsOf(few).size).toBe(0);
  expect(namesOfAllGroups(few)).toHaveLength(24);
  expect(titles(few, choicesOf(few))[0]).toBe('host-0 / TPU:0');
});

test('the devices of a single host are no hosts', () => {
  const groups = reportOf(20).groups.map((group) => ({
    ...group,
    name: group.name.replace(' / ', ''),
  }));
  const single = { ...many, groups };
  expect(hostSectionsOf(single).size).toBe(0);
  expect(firstClosed(single)).toHaveLength(20);
});

test('a place in a closed host leads to the host', () => {
  const layout = placeRows(many, choicesOf(many));
  expect(groupRowOf(layout, 'host-3/TPU:1')?.group.name).toBe('host-3');
  expect(groupRowOf(layout, 'host-3')?.group.name).toBe('host-3');
});

test('a link says which of many hosts are open, not which are closed', () => {
  const first = firstClosed(many);
  const closed = without(without(new Set(first), 'host-3'), 'host-4');
  const text = formatClosed(closed, first);
  expect(text).toBe('~host-3;host-4');
  expect(parseClosed(text, first)).toEqual(closed);
  expect(parseClosed('', first)).toEqual(new Set(first));
});
