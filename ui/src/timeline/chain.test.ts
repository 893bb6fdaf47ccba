import { describe, expect, it } from 'vitest';

import type { ChainReport } from '../wire/generated/ChainReport';
import type { ChainSlice } from '../wire/generated/ChainSlice';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import { arrowsOf, cutText, gapText } from './chain';

const ref = (track: number) => ({ track, lane: 0, index: 0 });
const slice = (track: number, start: number, hop: number, more: Partial<ChainSlice> = {}) =>
  ({
    slice: ref(track),
    name: `slice ${track}`,
    start_ps: start,
    duration_ps: 10,
    hop,
    toward: null,
    through: null,
    kind: hop === 0 ? '' : 'launch',
    ...more,
  }) as ChainSlice;

const chain = {
  slices: [
    slice(1, 0, -1, { toward: 1 }),
    slice(2, 30, 0),
    slice(3, 60, 1, {
      toward: 1,
      through: { slice: ref(4), name: 'call', start_ps: 34, duration_ps: 2 },
    }),
    slice(5, 65, 2, { toward: 2 }),
  ],
  most_hops: 8,
  most_slices: 64,
  is_cut_before: false,
  is_cut_after: true,
} as ChainReport;
const details = { slice: ref(2), start_ps: 30, duration_ps: 10, flows: [] } as unknown as SliceDetails;

describe('chains of arrows', () => {
  it('lead from causes to effects, through slices within', () => {
    const arrows = arrowsOf(details, chain);
    expect(
      arrows.map(({ from, to, distance }) => [from.ref.track, to.ref.track, distance]),
    ).toEqual([
      [1, 2, 1],
      [4, 3, 1],
      [3, 5, 2],
    ]);
  });

  it('are those of the slice alone while the chain is unknown', () => {
    const flow = {
      kind: 'launch',
      is_outgoing: false,
      other: ref(9),
      other_start_ps: 1,
      other_duration_ps: 2,
    };
    const [arrow] = arrowsOf({ ...details, flows: [flow] } as unknown as SliceDetails, null);
    expect([arrow?.from.ref.track, arrow?.to.ref.track]).toEqual([9, 2]);
  });

  it('say how far apart cause and effect are', () => {
    expect(chain.slices.map((one) => gapText(chain, one))).toEqual([
      '20\u202fps before',
      '',
      '24\u202fps later',
      'overlaps',
    ]);
  });

  it('say what was left out', () => {
    expect(cutText(chain)).toContain('more after it: at most 8 hops and 64 slices');
    expect(cutText({ ...chain, is_cut_after: false })).toBe('');
  });
});
