import { describe, expect, test } from 'vitest';

import { formatHash, parseHash, sameRoute, type Route } from './hash';

describe('a route survives the URL', () => {
  const routes: Route[] = [
    { session: null, view: 'sessions', params: {} },
    { session: 0, view: 'overview', params: {} },
    { session: 12, view: 'ops', params: { steps: '3..=8,11', device: '0,1', sort: '-self_ps' } },
    { session: 1, view: 'scopes', params: { match: 'a+b|jit\\(f\\)/[x]&y=#?%', q: 'ü  100%' } },
  ];
  test.each(routes)('%j', (route) => {
    expect(parseHash(formatHash(route))).toEqual(route);
  });
});

test('selections stay readable', () => {
  const hash = formatHash({
    session: 1,
    view: 'ops',
    params: { steps: '3..8', device: 'GPU:0,1' },
  });
  expect(hash).toBe('#/s/1/ops?device=GPU:0,1&steps=3..8');
});

test('anything unreadable leads to the sessions', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/s/abc/ops']) {
    expect(parseHash(hash).session).toBeNull();
  }
  expect(parseHash('#/s/3').view).toBe('overview');
  expect(parseHash('#/s/3/ops?match=%E0%A4%A').params).toEqual({ match: '%E0%A4%A' });
});

test('the order of parameters does not matter', () => {
  expect(sameRoute(parseHash('#/s/1/ops?a=1&b=2'), parseHash('#/s/1/ops?b=2&a=1'))).toBe(true);
  expect(sameRoute(parseHash('#/s/1/ops?a=1'), parseHash('#/s/2/ops?a=1'))).toBe(false);
});
