import { expect, test } from 'vitest';

import type { SessionSummary } from '../wire/types';
import { calledInShort, detailsOf, folderOf, groupedByLikeness } from './session-order';

function session(name: string, more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    name,
    key: name,
    location: `logs/${name}`,
    program: '',
    devices: '',
    state: 'closed',
    is_indexed: false,
    size_bytes: 1024,
    captured_epoch_ms: null,
    modified_epoch_ms: 0,
    ...more,
  } as SessionSummary;
}

const OPEN = { state: 'open', program: 'jit_step', devices: '8 × TPU v6 Lite' } as const;
const names = (sessions: SessionSummary[], to: SessionSummary | undefined) =>
  groupedByLikeness(sessions, to).map((group) => [group.title, ...group.sessions.map(({ name }) => name)]);

test('the same program on the same devices comes first, then the newest', () => {
  const shown = session('shown', { ...OPEN, location: 'logs/one/plugins/profile/shown' });
  const all = [
    session('other-program', { ...OPEN, program: 'jit_eval', modified_epoch_ms: 9 }),
    session('other-devices', { ...OPEN, devices: '4 × TPU v6 Lite', modified_epoch_ms: 8 }),
    session('older', { ...OPEN, captured_epoch_ms: 1, modified_epoch_ms: 99 }),
    session('closed', { modified_epoch_ms: 7, location: 'logs/sub/two/plugins/profile/closed' }),
    session('sibling', { modified_epoch_ms: 2, location: 'logs/two/plugins/profile/sibling' }),
    session('newer', { ...OPEN, captured_epoch_ms: 2 }),
    session('memory', { state: 'open', devices: '8 × TPU v6 Lite', modified_epoch_ms: 3 }),
  ];
  expect(names(all, shown)).toEqual([
    ['Same program and devices', 'newer', 'older'],
    ['Same folder, not opened yet', 'sibling'],
    ['Not opened yet', 'closed'],
    ['Other program or devices', 'other-program', 'other-devices', 'memory'],
  ]);
});

test('a session of which nothing is known yet is like none, and the newest comes first', () => {
  const all = [session('old', { modified_epoch_ms: 1 }), session('new', { modified_epoch_ms: 2 })];
  expect(names(all, undefined)).toEqual([['Not opened yet', 'new', 'old']]);
});

test('the folder tells apart what only has dates as names', () => {
  const dated = session('2026_11_29_20_32_01', {
    location: '/data/logs/bayesopt/plugins/profile/2026_11_29_20_32_01',
  });
  expect(folderOf(dated, '/data/logs')).toBe('bayesopt');
  expect(calledInShort(dated, '/data/logs')).toBe('bayesopt/2026_11_29_20_32_01');
  // The root itself is in front of every session.
  expect(folderOf(dated, '/data/logs/bayesopt')).toBe('');
  const named = session('two/run', { location: 'fixtures/waits/two/plugins/profile/run' });
  expect(folderOf(named, 'fixtures')).toBe('waits');
  expect(calledInShort(named, 'fixtures')).toBe('two/run');
});

test('program, devices, size and the time of the capture are listed as far as they are known', () => {
  expect(detailsOf(session('closed', { modified_epoch_ms: null }))).toMatch(/^1\.\d* ?KiB$|^1.*KiB$/);
  expect(detailsOf(session('open', { ...OPEN }))).toMatch(/^jit_step · 8 × TPU v6 Lite · .*KiB · \d{4}-/);
});
