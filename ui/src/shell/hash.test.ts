import { describe, expect, test } from 'vitest';

import { formatHash, parseHash, sameRoute, type Route } from './hash';

describe('a route survives the URL', () => {
  const routes: Route[] = [
    { session: null, view: 'sessions', params: {} },
    { session: null, view: 'sql', params: { query: 'select "a"\n--' } },
    { session: 'demo', view: 'sql', params: {} },
    { session: 'demo', view: 'overview', params: {} },
    { session: 'train~2026_11_22_09_00_00', view: 'ops', params: { steps: '3..=8,11', device: '0,1', sort: '-self_ps' } },
    { session: '~17', view: 'scopes', params: { match: 'a+b|jit\\(f\\)/[x]&y=#?%', q: 'ü  100%' } },
  ];
  test.each(routes)('%j', (route) => {
    expect(parseHash(formatHash(route))).toEqual(route);
  });
});

test('selections stay readable', () => {
  const hash = formatHash({
    session: 'run',
    view: 'ops',
    params: { steps: '3..8', device: 'GPU:0,1' },
  });
  expect(hash).toBe('#/s/run/ops?device=GPU:0,1&steps=3..8');
});

test('an invalid hash leads to the list of sessions', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/s/a b/ops', '#/s/']) {
    expect(parseHash(hash).session).toBeNull();
  }
  expect(parseHash('#/s/run').view).toBe('overview');
  expect(parseHash('#/s/run/ops?match=%E0%A4%A').params).toEqual({ match: '%E0%A4%A' });
});

test('the order of parameters does not matter', () => {
  expect(sameRoute(parseHash('#/s/one/ops?a=1&b=2'), parseHash('#/s/one/ops?b=2&a=1'))).toBe(true);
  expect(sameRoute(parseHash('#/s/one/ops?a=1'), parseHash('#/s/two/ops?a=1'))).toBe(false);
});

test('a number does not identify a session: another one may have it today', () => {
  const route = parseHash('#/s/3/ops?steps=2');
  expect(route).toEqual({ session: null, view: 'sessions', params: { numbered: '3' } });
});
