import { beforeEach, describe, expect, test, vi } from 'vitest';

import { clearSelection } from './clearing';
import {
  baseline,
  getParam,
  hrefTo,
  navigate,
  route,
  select,
  selected,
  selectionParams,
  setBaseline,
  setParams,
  swapBaseline,
  toggleStep,
} from './state';

// A page shows toasts; there is none here.
vi.mock('../widgets/toast', () => ({ showToast: () => undefined }));

beforeEach(() => {
  navigate({ session: null, view: 'sessions' });
  setParams(Object.fromEntries(Object.keys(route.params).map((name) => [name, null])), false);
});

describe('parameters', () => {
  test('are set, replaced and removed', () => {
    navigate({ session: 'run-1', view: 'ops' });
    setParams({ sort: '-self_ps', limit: 50 }, false);
    expect(getParam('sort')).toBe('-self_ps');
    expect(getParam('limit')).toBe('50');
    setParams({ sort: null, limit: '' }, true);
    expect(route.params).toEqual({});
  });

  test('of a view come back with it, and do not follow to others', () => {
    navigate({ session: 'run-2', view: 'timeline' });
    setParams({ window: '10..20' }, true);
    navigate({ view: 'steps' });
    expect(getParam('window')).toBeUndefined();
    navigate({ view: 'timeline' });
    expect(getParam('window')).toBe('10..20');
  });
});

describe('the selection', () => {
  test('follows to other views of the session, not to other sessions', () => {
    navigate({ session: 'run-3', view: 'overview' });
    select('steps', '3..8');
    select('match', 'dot');
    navigate({ view: 'ops' });
    expect(selectionParams()).toEqual({ steps: '3..8', match: 'dot' });
    expect(hrefTo({ view: 'kernels' })).toBe('#/s/run-3/kernels?match=dot&steps=3..8');
    navigate({ session: 'run-4', view: 'ops' });
    expect(selectionParams()).toEqual({});
  });

  test('a step toggles, and all of it clears', () => {
    navigate({ session: 'run-5', view: 'steps' });
    toggleStep(7);
    expect(selected('steps')).toBe('7');
    toggleStep(7);
    expect(selected('steps')).toBe('');
    select('device', '0,1');
    setParams({ sort: 'start_ps' }, false);
    clearSelection();
    expect(route.params).toEqual({ sort: 'start_ps' });
  });
});

describe('the baseline', () => {
  test('follows to other views and sessions, and is never the session itself', () => {
    navigate({ session: 'run-6', view: 'ops' });
    setBaseline('run-7');
    expect(baseline()).toBe('run-7');
    navigate({ view: 'kernels' });
    expect(baseline()).toBe('run-7');
    expect(hrefTo({ session: 'run-8', view: 'ops' })).toBe('#/s/run-8/ops?baseline=run-7');
    expect(hrefTo({ session: 'run-7', view: 'ops' })).toBe('#/s/run-7/ops');
    expect(selectionParams()).toEqual({});
    setBaseline(null);
    expect(baseline()).toBeNull();
  });

  test('swaps with the session, and keeps view and selection', () => {
    navigate({ session: 'run-9', view: 'steps' });
    setBaseline('run-10');
    select('steps', '3..8');
    swapBaseline();
    expect(route.session).toBe('run-10');
    expect(baseline()).toBe('run-9');
    expect(route.view).toBe('steps');
    expect(selectionParams()).toEqual({ steps: '3..8' });
  });
});

test('an empty parameter removes what the view remembers', () => {
  navigate({ session: 'a', view: 'sql', params: { query: 'select 1', show: 'chart' } });
  navigate({ session: 'a', view: 'ops' });
  navigate({ session: 'a', view: 'sql', params: { query: 'select 2', show: '' } });
  expect(route.params).toMatchObject({ query: 'select 2' });
  expect(route.params).not.toHaveProperty('show');
});
