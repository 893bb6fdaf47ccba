import { expect, test } from 'vitest';

import type { Ghost } from './ghost';
import { hitGhost } from './hit-ghost';
import { FIRST_CHOICES, GROUP_HEIGHT, LANE_HEIGHT, placeRows } from './layout';
import type { Scene } from './scene';
import { buildTile, lone } from './tile-builder.test-support';
import { decodeTile } from './tile';
import { limitsOf, Viewport } from './viewport';

const HEAD = 80;
const report = {
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 2000,
  slice_count: 2,
  steps: [],
  notes: [],
  groups: [
    {
      name: 'GPU:0',
      kind: 'device',
      device_index: 0,
      tracks: [
        {
          track: 3,
          name: 'Stream 1',
          role: 'stream',
          lanes: 1,
          folded: false,
          slice_count: 2,
          counter_min: null,
          counter_max: null,
          counter_unit: '',
        },
      ],
    },
  ],
};

/** The step from 1000 to 1400 over that from 0 to 400; its track has another number. */
function scene(): Scene {
  const tile = { startPs: 0, endPs: 2000, widthPx: 100, tracks: [{ track: 9, lanes: [[lone(1100, 200, 5, 7)]] }] };
  const segment = {
    tile: decodeTile(buildTile(tile)).tracks[0]!,
    startPs: 0,
    endPs: 2000,
    isExact: true,
  };
  const ghost = {
    shiftPs: 1000,
    spanOn: () => ({ startPs: 0, endPs: 400 }),
    trackOf: () => 9,
    segments: () => [segment],
  } as unknown as Ghost;
  const viewport = new Viewport(limitsOf(0, 2000));
  viewport.widthPx = 1000;
  viewport.show({ startPs: 0, endPs: 1000 });
  const geometry = { width: 1000, height: 400, headHeight: HEAD, pinnedHeight: 0, scrollY: 0 };
  return { ghost, viewport, geometry, layout: placeRows(report, FIRST_CHOICES) } as unknown as Scene;
}

const TOP = HEAD + GROUP_HEIGHT;

test('the foot of a lane has the slices of the other step, in its times and on its track', () => {
  const hit = hitGhost(scene(), 150, TOP + LANE_HEIGHT - 4);
  expect(hit).toMatchObject({ startPs: 1100, label: 7, ref: { track: 9, lane: 0, index: 5 } });
});

test('above the foot and outside the step is what the timeline itself shows', () => {
  expect(hitGhost(scene(), 150, TOP + 4)).toBeNull();
  expect(hitGhost(scene(), 500, TOP + LANE_HEIGHT - 4)).toBeNull();
  expect(hitGhost(scene(), 350, TOP + LANE_HEIGHT - 4)).toBeNull();
  expect(hitGhost({ ...scene(), ghost: null }, 150, TOP + LANE_HEIGHT - 4)).toBeNull();
});
