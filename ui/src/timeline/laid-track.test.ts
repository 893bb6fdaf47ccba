import { describe, expect, test } from 'vitest';

import { LAID_TRACK } from './laid';
import { laidTrack, stacked, type Interval } from './laid-track';
import { tileSpanPs, TILE_PX } from './tile-grid';

const interval = (startPs: number, durationPs: number, name = 'op'): Interval => ({
  startPs,
  durationPs,
  name,
  className: '',
});

describe('lanes', () => {
  test('nested intervals are below the outer one, others in the first free lane', () => {
    const all = [interval(20, 10), interval(0, 100), interval(30, 20), interval(25, 3)];
    expect(stacked(all)).toEqual([[1], [0, 2], [3]]);
  });

  test('intervals that overlap in part are stacked, those that touch are not', () => {
    expect(stacked([interval(0, 10), interval(5, 10), interval(10, 5)])).toEqual([[0, 2], [1]]);
  });

  test('however many overlap, there is an end to lanes and nothing is lost', () => {
    const lanes = stacked(Array.from({ length: 500 }, (_, i) => interval(i, 10_000)));
    expect(lanes.length).toBeLessThan(100);
    expect(lanes.flat()).toHaveLength(500);
  });
});

/** What is drawn of the first tile of a level. */
function drawn(all: readonly Interval[], level: number) {
  const track = laidTrack('rows', all, (position) => [
    { name: 'row', value: String(position), is_constant: false },
  ]);
  const [segment] = track.segments(level, 0, 0);
  return { track, segment, lanes: segment?.tile?.lanes ?? [] };
}

describe('tiles', () => {
  test('what is narrower than a pixel is merged, with its number, its sum and the longest label', () => {
    const level = 10;
    const pixelPs = tileSpanPs(level) / TILE_PX;
    const { lanes, track } = drawn(
      [
        interval(0, pixelPs / 8, 'short'),
        interval(pixelPs / 4, pixelPs / 4, 'long'),
        interval(pixelPs * 2, pixelPs * 3, 'wide'),
      ],
      level,
    );
    const [lane] = lanes;
    expect(lane?.glyphCount).toBe(2);
    expect([...(lane?.count ?? [])]).toEqual([2, 1]);
    expect([...(lane?.busyPs ?? [])]).toEqual([pixelPs * (1 / 8 + 1 / 4), pixelPs * 3]);
    expect(lane?.durationPs[0]).toBe(pixelPs / 2);
    const nameOf = (label: number | undefined) =>
      track.labels.find((each) => each.label === label)?.name;
    expect(nameOf(lane?.label[0])).toBe('long');
    expect(nameOf(lane?.label[1])).toBe('wide');
  });

  test('a segment covers the tiles that were asked for and has nothing of later ones', () => {
    const span = tileSpanPs(3);
    const { segment, lanes } = drawn([interval(0, span), interval(span * 5, span)], 3);
    expect(segment).toMatchObject({ startPs: 0, endPs: span, isExact: true });
    expect(lanes[0]?.glyphCount).toBe(1);
  });
});

test('details are of the row, and there are none beyond the last', () => {
  const { track } = drawn([interval(50, 10, 'second'), interval(0, 100, 'outer')], 0);
  const details = track.details({ track: LAID_TRACK, lane: 1, index: 0 });
  expect(details).toMatchObject({ name: 'second', start_ps: 50, duration_ps: 10 });
  expect(details?.stats).toEqual([{ name: 'row', value: '0', is_constant: false }]);
  expect(track.details({ track: LAID_TRACK, lane: 1, index: 1 })).toBeNull();
});
