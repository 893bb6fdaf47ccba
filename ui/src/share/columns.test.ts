import { expect, test } from 'vitest';

import { decodeColumns, tileOf, type TrackColumns } from './columns';

/** Numbers, encoded as the writer in Rust encodes them. */
function bytesOf(...numbers: number[]): ArrayBuffer {
  const bytes = numbers.flatMap((number) => {
    const parts: number[] = [];
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) parts.push((rest % 128) + 128);
    return [...parts, rest];
  });
  return Uint8Array.from(bytes).buffer;
}

const columns = (...slices: [start: number, duration: number, label: number][]): TrackColumns => ({
  lanes: [
    {
      startPs: Float64Array.from(slices.map(([start]) => start)),
      durationPs: Float64Array.from(slices.map(([, duration]) => duration)),
      label: Uint32Array.from(slices.map(([, , label]) => label)),
    },
  ],
  samples: null,
});
const laneOf = (track: TrackColumns, start: number, end: number, width: number) => {
  const { startPs, durationPs, busyPs, index, count, label } = tileOf(0, track, start, end, width)
    .lanes[0]!;
  return [startPs, durationPs, busyPs, index, count, label].map((column) => [...column]);
};

test('numbers decode as the writer encodes them', () => {
  // The same bytes as in crates/export/src/html/columns.rs.
  const written = [0, 1, 127, 128, 1, 172, 2, 0, 1, 2, 215, 4];
  expect([...new Uint8Array(bytesOf(0, 1, 127, 128, 300, 0, 1, 2, 599))]).toEqual(written);
  // One lane: three slices in units of 1000 ps, the first before zero.
  const { lanes, samples } = decodeColumns(bytesOf(0, 1, 3, 1000, 599, 2, 0, 5, 7, 1, 4, 300, 4));
  expect(samples).toBeNull();
  expect([...lanes[0]!.startPs]).toEqual([-300, 6700, 13_700]);
  expect([...lanes[0]!.durationPs]).toEqual([5000, 7000, 1000]);
  expect([...lanes[0]!.label]).toEqual([4, 300, 4]);
  expect(() => decodeColumns(bytesOf(0, 1, 3, 1000))).toThrow('end early');
});

test('samples have times and values', () => {
  const head = new Uint8Array(bytesOf(1, 2, 20, 5));
  const bytes = new Uint8Array(head.length + 16);
  bytes.set(head);
  bytes.set(new Uint8Array(Float64Array.from([1.5, -2]).buffer), head.length);
  const { samples } = decodeColumns(bytes.buffer);
  expect([[...samples!.timePs], [...samples!.value]]).toEqual([
    [10, 15],
    [1.5, -2],
  ]);
});

test('narrow neighbors merge and wide slices stay alone, as in a tile from the server', () => {
  // The same figures as in crates/analysis/src/timeline/tile_tests.rs.
  const track = columns([0, 1, 1], [2, 4, 2], [7, 1, 3], [8, 12, 4], [21, 3, 5]);
  expect(laneOf(track, 0, 100, 10)).toEqual([
    [0, 8, 21],
    [8, 12, 3],
    [6, 12, 3],
    [0, 3, 4],
    [3, 1, 1],
    [2, 4, 5],
  ]);
});

test('a slice that began before the window is included', () => {
  const track = columns([0, 50, 1], [50, 10, 2], [200, 10, 3]);
  expect(laneOf(track, 20, 60, 4).slice(0, 2)).toEqual([
    [0, 50],
    [50, 10],
  ]);
});

test('counters keep the extremes of each pixel and the value before the window', () => {
  const samples = {
    timePs: Float64Array.from([0, 90, 95, 200]),
    value: Float64Array.from([1, 2, 7, 3]),
  };
  const { counter } = tileOf(0, { lanes: [], samples }, 50, 250, 4);
  expect([counter!.timePs, counter!.minimum, counter!.maximum].map((each) => [...each])).toEqual([
    [0, 90, 200],
    [1, 2, 3],
    [1, 7, 3],
  ]);
});
