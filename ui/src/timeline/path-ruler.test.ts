import { describe, expect, test } from 'vitest';

import type { CriticalPathReport } from '../wire/generated/CriticalPathReport';
import type { PathRow } from '../wire/generated/PathRow';
import {
  firstRowAfter,
  fittingText,
  hitPath,
  isOnPath,
  pathOf,
  visitPath,
  wordsPx,
} from './path-ruler';
import { headHeightOf } from './scene';
import { limitsOf, Viewport } from './viewport';

const row = (what: string, startPs: number, durationPs: number): PathRow => ({
  step: 1,
  offset_ps: 0,
  duration_ps: durationPs,
  ratio: 0,
  kind: 'compute',
  what,
  count: 1,
  place: 'GPU:0',
  is_scattered: false,
  start_ps: startPs,
  slice: null,
});
const reportOf = (rows: PathRow[], changes: Partial<CriticalPathReport> = {}) =>
  ({
    is_admitted: true,
    refusal: '',
    rows,
    row_count: rows.length,
    ...changes,
  }) as CriticalPathReport;
const rulerOf = (...rows: PathRow[]) => pathOf(reportOf(rows));

/** The pieces between two times, as `what×count start..end`. */
const pieces = (path: ReturnType<typeof pathOf>, fromPs: number, toPs: number, psPerPx: number) => {
  const found: string[] = [];
  visitPath(path, fromPs, toPs, psPerPx, (longest, startPs, endPs, count) =>
    found.push(`${longest.what}×${count} ${startPs}..${endPs}`),
  );
  return found;
};

describe('the strip of a report', () => {
  test('has the stretches by start, also where the paths of two steps overlap', () => {
    const path = rulerOf(row('a', 0, 100), row('c', 60, 90), row('b', 50, 10));
    expect(path.rows.map(({ what }) => what)).toEqual(['a', 'b', 'c']);
    expect([...path.latestEnd]).toEqual([100, 100, 150]);
    expect(path.words).toBe('');
  });

  test('leaves out gaps that are summed over the step, which have no single place', () => {
    const gaps = { ...row('3 gaps', 10, 60), is_scattered: true };
    expect(rulerOf(row('a', 0, 100), gaps).rows.map(({ what }) => what)).toEqual(['a']);
  });

  test('says why it is empty or not whole', () => {
    const refused = pathOf(reportOf([], { is_admitted: false, refusal: 'Clocks disagree.' }));
    expect(refused.words).toBe('No critical path: Clocks disagree.');
    expect(pathOf(reportOf([])).words).toBe('No critical path in the selection');
    const cut = pathOf(reportOf([row('a', 0, 100)], { row_count: 3 }));
    expect(cut.words).toContain('The first 1 of 3 stretches');
  });

  test('has words after the last stretch, or from the left', () => {
    const viewport = new Viewport(limitsOf(0, 1000));
    viewport.show({ startPs: 0, endPs: 1000 });
    viewport.widthPx = 100;
    const cut = pathOf(reportOf([row('a', 0, 500)], { row_count: 3 }));
    expect(wordsPx(cut, viewport)).toBeCloseTo(50);
    expect(wordsPx(pathOf(reportOf([])), viewport)).toBe(0);
    expect(wordsPx(rulerOf(row('a', 0, 500)), viewport)).toBe(Infinity);
  });
});

describe('visible stretches', () => {
  const path = rulerOf(
    row('a', 0, 100),
    row('b', 100, 100),
    row('c', 200, 100),
    row('d', 500, 100),
  );

  test('begin with the first that ends after a time', () => {
    const times = [-1, 0, 99, 100, 299, 300, 599, 600];
    expect(times.map((time) => firstRowAfter(path, time))).toEqual([0, 0, 0, 1, 2, 3, 3, 4]);
  });

  test('are those between two times', () => {
    expect(pieces(path, 150, 250, 1)).toEqual(['b×1 100..200', 'c×1 200..300']);
    expect(pieces(path, 100, 200, 1)).toEqual(['b×1 100..200']);
    expect(pieces(path, 300, 500, 1)).toEqual([]);
    expect(pieces(path, 700, 900, 1)).toEqual([]);
  });

  test('include one that began long before, under those of the next step', () => {
    const overlapping = rulerOf(row('long', 0, 1000), row('short', 10, 5), row('next', 900, 200));
    expect(pieces(overlapping, 500, 2000, 1)).toEqual(['long×1 0..1000', 'next×1 900..1100']);
  });
});

describe('stretches narrower than a pixel', () => {
  const narrow = [
    row('a', 0, 3),
    row('b', 3, 5),
    row('c', 8, 1),
    row('wide', 9, 30),
    row('d', 39, 1),
  ];

  test('are merged if they start in the same pixel; the longest stands for them', () => {
    expect(pieces(rulerOf(...narrow), 0, 100, 10)).toEqual([
      'b×3 0..9',
      'wide×1 9..39',
      'd×1 39..40',
    ]);
  });

  test('are merged the same wherever the window begins', () => {
    const many = rulerOf(...Array.from({ length: 1000 }, (_, i) => row(String(i), i * 3, 3)));
    const whole = pieces(many, 0, 3000, 10);
    expect(whole).toHaveLength(300);
    for (const fromPs of [1, 9, 10, 995, 1000, 1007]) {
      const part = pieces(many, fromPs, 3000, 10);
      expect(part).toEqual(whole.slice(-part.length));
      expect(part.length).toBeGreaterThanOrEqual(Math.floor((3000 - fromPs) / 10));
    }
  });

  test('are at most one piece per pixel, and none is lost', () => {
    const many = rulerOf(...Array.from({ length: 20_000 }, (_, i) => row('x', i, 1)));
    let sum = 0;
    let pieceCount = 0;
    visitPath(many, 0, 20_000, 50, (_row, _startPs, _endPs, count) => {
      pieceCount++;
      sum += count;
    });
    expect([pieceCount, sum]).toEqual([400, 20_000]);
  });
});

describe('a hit', () => {
  const path = rulerOf(row('a', 0, 100), row('b', 100, 4), row('c', 104, 2), row('d', 400, 100));
  const what = (timePs: number, psPerPx: number) =>
    hitPath(path, timePs, psPerPx)?.row.what ?? null;

  test('is the stretch at the time', () => {
    expect([0, 99, 101, 105, 450].map((time) => what(time, 1))).toEqual(['a', 'a', 'b', 'c', 'd']);
  });

  test('is the nearest within reach, nothing in a gap', () => {
    expect([108, 110, 250, 398].map((time) => what(time, 1))).toEqual(['c', null, null, 'd']);
  });

  test('is the merged piece as it is drawn', () => {
    expect(hitPath(path, 105, 10)).toMatchObject({ startPs: 100, endPs: 106, count: 2 });
    expect(what(105, 10)).toBe('b');
  });

  test('is the one on top where two steps overlap', () => {
    const overlapping = rulerOf(row('a', 0, 100), row('b', 50, 100));
    expect(hitPath(overlapping, 75, 1)?.row.what).toBe('b');
    expect(hitPath(overlapping, 25, 1)?.row.what).toBe('a');
  });
});

test('the strip is the lowest part of the head while it is shown', () => {
  const geometryOf = (hasPathRuler: boolean) => {
    const rulers = { hasStepRuler: true, hasPathRuler };
    const headHeight = headHeightOf(rulers);
    return { width: 1, height: 1, ratio: 1, headHeight, ...rulers, pinnedHeight: 0, scrollY: 0 };
  };
  const [without, shown] = [geometryOf(false), geometryOf(true)];
  expect(shown.headHeight).toBeGreaterThan(without.headHeight);
  expect(isOnPath(shown, without.headHeight - 1)).toBe(false);
  expect(isOnPath(shown, without.headHeight)).toBe(true);
  expect(isOnPath(shown, shown.headHeight)).toBe(false);
  expect(isOnPath(without, without.headHeight - 1)).toBe(false);
});

test('a text is shortened to its room', () => {
  const widthOf = (text: string) => text.length * 10;
  expect(fittingText('fusion.3', 80, widthOf)).toBe('fusion.3');
  expect(fittingText('fusion.3', 50, widthOf)).toBe('fusi…');
  expect(fittingText('fusion.3', 20, widthOf)).toBe('');
  expect(fittingText('fusion.3', -5, widthOf)).toBe('');
});
