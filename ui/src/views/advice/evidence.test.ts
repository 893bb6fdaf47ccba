import { describe, expect, it } from 'vitest';

import type { AdviceEvidence } from '../../wire/generated/AdviceEvidence';
import { linksOf, overlapping } from './evidence';

const NOTHING: AdviceEvidence = {
  text: '',
  view: '',
  start_ps: null,
  end_ps: null,
  step: null,
  device: '',
  program_id: '',
  op: '',
  source: '',
};
const VIEWS = new Set(['timeline', 'ops', 'graph', 'memory', 'buffers']);

describe('links of evidence', () => {
  it('shows a time range with some time around it', () => {
    const evidence = {
      ...NOTHING,
      view: 'timeline',
      start_ps: 1000,
      end_ps: 2000,
      device: 'GPU:7',
    };
    expect(linksOf(evidence, VIEWS)).toEqual([
      { view: 'timeline', params: { window: '900..2100', area: '1000..2000', at: 'GPU:7', cause: 'idle' } },
    ]);
  });

  it('finds an op in its table and in its graph', () => {
    const evidence = { ...NOTHING, view: 'ops', op: 'dot.1', program_id: '5' };
    expect(linksOf(evidence, VIEWS)).toEqual([
      { view: 'ops', params: { q: '^dot\\.1$' } },
      { view: 'graph', params: { program: '5', op: 'dot.1' } },
    ]);
  });

  it('shows a collective in the timeline and in the graph', () => {
    const evidence = {
      ...NOTHING,
      view: 'timeline',
      start_ps: 1000,
      end_ps: 2000,
      op: 'all-reduce.1',
      program_id: '5',
    };
    expect(linksOf(evidence, VIEWS).map((link) => link.view)).toEqual(['timeline', 'graph']);
  });

  it('chooses the program of a memory plan', () => {
    expect(linksOf({ ...NOTHING, view: 'buffers', program_id: '5' }, VIEWS)).toEqual([
      { view: 'buffers', params: { program: '5' } },
    ]);
    expect(linksOf({ ...NOTHING, view: 'memory', program_id: '5' }, VIEWS)).toEqual([
      { view: 'memory', params: {} },
    ]);
  });

  it('has no link to a view that does not exist', () => {
    expect(linksOf({ ...NOTHING, view: 'kernels' }, VIEWS)).toEqual([]);
    expect(linksOf(NOTHING, VIEWS)).toEqual([]);
  });
});

describe('the same time', () => {
  it('names other findings by their number', () => {
    const all = [
      { id: 'idle', title: 'Idle device', gain_ps_per_step: 5, overlaps: ['host_syncs'] },
      { id: 'host_syncs', title: 'Stops', gain_ps_per_step: 3, overlaps: ['idle'] },
      { id: 'bound_by', title: 'Bound', gain_ps_per_step: null, overlaps: [] },
    ];
    expect(overlapping(all[0]!, all)).toEqual([{ number: 2, title: 'Stops' }]);
    expect(overlapping(all[2]!, all)).toEqual([]);
  });
});
