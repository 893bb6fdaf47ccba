import { describe, expect, it } from 'vitest';

import type { AdviceEvidence } from '../../wire/generated/AdviceEvidence';
import { linksOf } from './evidence';

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
const VIEWS = new Set(['timeline', 'ops', 'graph', 'memory']);

describe('links of evidence', () => {
  it('shows a time with what is around it', () => {
    const evidence = { ...NOTHING, view: 'timeline', start_ps: 1000, end_ps: 2000 };
    expect(linksOf(evidence, VIEWS)).toEqual([
      { view: 'timeline', params: { window: '900..2100', area: '1000..2000' } },
    ]);
  });

  it('finds an op in its table and in its graph', () => {
    const evidence = { ...NOTHING, view: 'ops', op: 'dot.1', program_id: '5' };
    expect(linksOf(evidence, VIEWS)).toEqual([
      { view: 'ops', params: { q: '^dot\\.1$' } },
      { view: 'graph', params: { program: '5', op: 'dot.1' } },
    ]);
  });

  it('leads nowhere where there is no such view', () => {
    expect(linksOf({ ...NOTHING, view: 'kernels' }, VIEWS)).toEqual([]);
    expect(linksOf(NOTHING, VIEWS)).toEqual([]);
  });
});
