import { describe, expect, test } from 'vitest';

import type { ComparedOp } from '../wire/generated/ComparedOp';
import type { ComparedSession } from '../wire/generated/ComparedSession';
import type { CompareReport } from '../wire/generated/CompareReport';
import type { Evidence } from '../wire/generated/Evidence';
import { matchingOf, strongest } from './matching';
import { compareRows, pairRows } from './pairing';

interface Row {
  program_id: string;
  name: string;
  device: string;
}

const row = (program_id: string, name: string, device = ''): Row => ({ program_id, name, device });

/** The part of a report that pairing reads. */
function report(
  ops: [index: number, baseline: string | null, other: string | null, evidence: string][],
  steps: [baseline: number[], session: number[]] = [[], []],
): CompareReport {
  const side = (name: string | null) =>
    name === null ? null : { program_id: name.split('/')[0], name: name.split('/')[1], kernel: '' };
  return {
    ops: ops.map(
      ([index, baseline, other, evidence]) =>
        ({
          index,
          session: 1,
          baseline: side(baseline),
          other: side(other),
          time: { evidence },
        }) as unknown as ComparedOp,
    ),
    differences: [],
    sessions: steps.map(
      (numbers) =>
        ({
          step_count: numbers.length,
          steps: numbers.map((step) => ({ step, start_ps: 0, end_ps: 1 })),
        }) as unknown as ComparedSession,
    ),
  } as unknown as CompareReport;
}

const OPS = compareRows((rows: Row[]) => rows, {
  op: (one: Row) => [one.program_id, one.name],
  identity: (one) => one.device,
});

describe('rows pair', () => {
  test('by the matching, even if op names differ', () => {
    const matching = matchingOf(
      report([
        [0, '7/fusion.1', '9/fusion.4', 'beyond_noise'],
        [1, '7/fusion.4', '9/fusion.1', 'within_noise'],
        [2, '7/copy', null, 'beyond_noise'],
        [3, null, '9/transpose', 'beyond_noise'],
      ]),
    );
    const rows = [row('9', 'fusion.4'), row('9', 'fusion.1'), row('9', 'transpose')];
    const baseline = [row('7', 'fusion.1'), row('7', 'fusion.4'), row('7', 'copy')];
    const pairs = pairRows(rows, baseline, OPS, matching);
    expect(pairs.before.get(rows[0]!)).toBe(baseline[0]);
    expect(pairs.before.get(rows[1]!)).toBe(baseline[1]);
    expect([...pairs.fresh]).toEqual([rows[2]]);
    expect(pairs.gone).toEqual([baseline[2]]);
    expect(pairs.isGone(baseline[2]!)).toBe(true);
    expect(rows.map(pairs.evidenceOf)).toEqual(['beyond_noise', 'within_noise', 'beyond_noise']);
  });

  test('by name and device without a comparison', () => {
    const rows = [row('9', 'a', 'GPU:0'), row('9', 'a', 'GPU:1')];
    const baseline = [row('7', 'a', 'GPU:1'), row('7', 'a', 'GPU:0')];
    const pairs = pairRows(rows, baseline, OPS, matchingOf(undefined));
    expect(pairs.before.get(rows[0]!)).toBe(baseline[1]);
    expect(pairs.before.get(rows[1]!)).toBe(baseline[0]);
  });

  test('in order if they have the same key', () => {
    const hosts = compareRows((rows: Row[]) => rows, { identity: () => 'host' });
    const rows = [row('', 'new-0'), row('', 'new-1')];
    const baseline = [row('', 'old-0'), row('', 'old-1'), row('', 'old-2')];
    const pairs = pairRows(rows, baseline, hosts, matchingOf(undefined));
    expect(rows.map((one) => pairs.before.get(one))).toEqual(baseline.slice(0, 2));
    expect(pairs.gone).toEqual([baseline[2]]);
  });

  test('the largest of many ops are new or gone only if the matching says so', () => {
    const largest = compareRows((rows: Row[]) => rows, {
      op: (one: Row) => [one.program_id, one.name],
      isExcerpt: true,
    });
    const matching = matchingOf(
      report([
        [0, '7/dot', '9/dot', 'within_noise'],
        [1, '7/copy', '9/copy', 'within_noise'],
        [2, '7/sort', null, 'beyond_noise'],
        [3, null, '9/transpose', 'beyond_noise'],
      ]),
    );
    const rows = [row('9', 'dot'), row('9', 'transpose'), row('9', 'unlisted')];
    const baseline = [row('7', 'copy'), row('7', 'sort'), row('7', 'unknown')];
    const pairs = pairRows(rows, baseline, largest, matching);
    expect([...pairs.fresh]).toEqual([rows[1]]);
    expect(pairs.gone).toEqual([baseline[1]]);
    expect(pairs.before.size).toBe(0);
  });

  test('by step number, otherwise in order', () => {
    const steps = compareRows((rows: { step: number }[]) => rows, {
      step: (one: { step: number }) => one.step,
      identity: () => 'step',
    });
    const rows = [{ step: 100 }, { step: 101 }];
    const baseline = [{ step: 0 }, { step: 1 }];
    const matching = matchingOf(report([], [[0, 1], [100, 101]]));
    const pairs = pairRows(rows, baseline, steps, matching);
    expect(rows.map((one) => pairs.before.get(one))).toEqual(baseline);
    const shared = matchingOf(report([], [[4, 5, 6], [5, 6, 7]]));
    const later = pairRows([{ step: 5 }, { step: 7 }], [{ step: 4 }, { step: 5 }], steps, shared);
    expect([...later.before.values()]).toEqual([{ step: 5 }]);
    expect(later.gone).toEqual([{ step: 4 }]);
  });
});

test('a group is beyond noise if one of its ops is', () => {
  const evidence = (...found: (string | undefined)[]) => strongest(found as Evidence[]);
  expect(evidence('within_noise', 'beyond_noise')).toBe('beyond_noise');
  expect(evidence('too_few_steps', 'within_noise', undefined)).toBe('within_noise');
  expect(evidence('too_few_steps', undefined)).toBe('too_few_steps');
  expect(evidence()).toBeUndefined();
});

test('rows without identity are not paired', () => {
  const none = compareRows((rows: Row[]) => rows, { identity: () => '' });
  const pairs = pairRows([row('', 'a')], [row('', 'b')], none, matchingOf(undefined));
  expect([pairs.before.size, pairs.fresh.size, pairs.gone.length]).toEqual([0, 0, 0]);
});

test('sums are scaled when the step counts differ', () => {
  const ten = Array.from({ length: 10 }, (_, index) => index);
  expect(matchingOf(report([], [ten.slice(0, 5), ten])).stepRatio).toBe(2);
  expect(matchingOf(report([], [[], ten])).stepRatio).toBe(1);
});
