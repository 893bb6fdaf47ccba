import { describe, expect, it } from 'vitest';

import type { WhatIfLane } from '../../wire/generated/WhatIfLane';
import type { WhatIfPicture } from '../../wire/generated/WhatIfPicture';
import type { WhatIfSlice } from '../../wire/generated/WhatIfSlice';
import {
  changesOf,
  classesOf,
  devicesOf,
  laneText,
  lengthOf,
  shapesOf,
  sliceAt,
  summaryOf,
  textOf,
  ticksOf,
} from './picture';

const MS = 1e9;

/** Numbers and units with plain spaces between them. */
const plain = (text: string) => text.replace(/[\u202f\u00a0]/g, ' ');

const slice = (
  startMs: number,
  lengthMs: number,
  name: string,
  change: WhatIfSlice['change'] = 'same',
): WhatIfSlice => ({
  start_ps: startMs * MS,
  duration_ps: lengthMs * MS,
  class: name,
  what: `${name}.1`,
  count: 1,
  change,
});

const lane = (changes: Partial<WhatIfLane>): WhatIfLane => ({
  device: 'TPU:0',
  is_communication: false,
  before_end_ps: 10 * MS,
  after_end_ps: 8 * MS,
  before_busy_ps: 9 * MS,
  after_busy_ps: 7 * MS,
  removed: 0,
  shorter: 0,
  longer: 0,
  before: [],
  after: [],
  ...changes,
});

const PICTURE: WhatIfPicture = {
  step: 3,
  before_ps: 10 * MS,
  after_ps: 8 * MS,
  device_count: 2,
  lanes: [
    lane({ before: [slice(0, 4, 'matmul'), slice(4, 1, 'copy')], after: [slice(0, 4, 'matmul')] }),
    lane({ is_communication: true, removed: 1, before: [slice(5, 5, 'collective', 'removed')] }),
    lane({ device: 'TPU:1', shorter: 2 }),
  ],
};

describe('shapes', () => {
  it('are one path for each color, on the scale of the longer step', () => {
    expect(lengthOf(PICTURE)).toBe(10 * MS);
    const shapes = shapesOf([slice(0, 1, 'copy'), slice(2, 1, 'copy'), slice(9, 1, 'matmul')], 10 * MS);
    expect(shapes.map((shape) => shape.outline)).toEqual([
      'M0 0H100V1H0ZM200 0H300V1H200Z',
      'M900 0H1000V1H900Z',
    ]);
  });

  it('set apart what is gone, and mark what changed', () => {
    const slices = [slice(0, 1, 'copy'), slice(1, 1, 'copy', 'removed'), slice(2, 1, 'copy', 'longer')];
    expect(shapesOf(slices, 10 * MS).map((shape) => shape.isRemoved)).toEqual([false, true]);
    expect(changesOf(slices, 10 * MS)).toBe('M100 0H200V1H100ZM200 0H300V1H200Z');
  });

  it('stay within the drawing', () => {
    expect(shapesOf([slice(-1, 20, 'copy')], 10 * MS)[0]!.outline).toBe('M0 0H1000V1H0Z');
  });
});

describe('a point', () => {
  it('has the slice around it, or a close one', () => {
    const slices = [slice(0, 4, 'matmul'), slice(4.005, 1, 'copy')];
    expect(sliceAt(slices, 0.2, 10 * MS)?.class).toBe('matmul');
    expect(sliceAt(slices, 0.4003, 10 * MS)?.class).toBe('copy');
    expect(sliceAt(slices, 0.9, 10 * MS)).toBeNull();
  });

  it('is told', () => {
    expect(plain(textOf({ ...slice(1, 2, 'matmul', 'shorter'), count: 3 }))).toBe(
      'matmul.1 and 2 others\nMatmul, 2.000 ms from 1.000 ms\npart of it gets shorter',
    );
  });
});

describe('words', () => {
  it('sum up the step and its lanes', () => {
    expect(plain(summaryOf(PICTURE))).toBe(
      'Step 3: 10.00 ms as recorded, 8.000 ms with the changes; pieces of work: 1 gone, 2 shorter.',
    );
    expect(plain(laneText(PICTURE.lanes[1]!, 'after'))).toBe(
      'TPU:0, communication, changed: 7.000 ms busy, step ends at 8.000 ms',
    );
  });

  it('list what is drawn', () => {
    expect(classesOf(PICTURE)).toEqual(['matmul', 'collective', 'copy']);
    expect(devicesOf(PICTURE).map((device) => device.lanes.length)).toEqual([2, 1]);
    expect(ticksOf(10 * MS).map((tick) => tick.share)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  });
});
