import { expect, test } from 'vitest';

import type { CaptureHost } from '../wire/generated/CaptureHost';
import type { CaptureReport } from '../wire/generated/CaptureReport';
import {
  EMPTY_FORM,
  problemOf,
  recall,
  remember,
  requestOf,
  sessionToOpen,
  stateOf,
} from './request';

function storage(initial?: string) {
  let kept: string | null = initial ?? null;
  return {
    getItem: () => kept,
    setItem: (_key: string, value: string) => {
      kept = value;
    },
  };
}

test('addresses are remembered, latest first, without duplicates', () => {
  const store = storage();
  for (const addresses of ['a:1', 'b:2', 'a:1']) remember(store, { ...EMPTY_FORM, addresses });
  expect(recall(store).addresses).toEqual(['a:1', 'b:2']);
  expect(recall(store).form.addresses).toBe('a:1');
});

test('a name is not remembered, and invalid values are ignored', () => {
  const store = storage();
  remember(store, { ...EMPTY_FORM, addresses: 'a:1', name: 'once', seconds: '7' });
  expect(recall(store).form).toMatchObject({ name: '', seconds: '7' });
  for (const broken of ['{', '[]', '{"form": {"seconds": 5}, "addresses": [1, "x:1"]}']) {
    expect(recall(storage(broken)).form.seconds).toBe('2');
  }
  expect(recall(undefined).addresses).toEqual([]);
});

test('an invalid form says why', () => {
  const form = { ...EMPTY_FORM, addresses: 'localhost:9999' };
  expect(problemOf(form)).toBe('');
  expect(problemOf({ ...form, addresses: ' ' })).toContain('localhost:9999');
  expect(problemOf({ ...form, addresses: 'a:1, b' })).toContain('b has no port');
  expect(problemOf({ ...form, seconds: '0' })).toContain('seconds');
  expect(problemOf({ ...form, seconds: 'two' })).toContain('seconds');
  expect(problemOf({ ...form, options: 'tpu_trace_mode' })).toContain('key=value');
  expect(problemOf({ ...form, addresses: '[::1]:9999' })).toBe('');
});

test('what is sent is what was typed', () => {
  const form = {
    ...EMPTY_FORM,
    addresses: ' a:1, b:2\nc:3 ',
    seconds: '0.5',
    pythonLevel: '1',
    options: 'x=1\n\n y=true ',
  };
  expect(requestOf(form)).toEqual({
    addresses: 'a:1,b:2,c:3',
    duration_seconds: 0.5,
    name: '',
    host_tracer_level: 2,
    device_tracer_level: 1,
    python_tracer_level: 1,
    options: ['x=1', 'y=true'],
  });
});

test('a recording host shows its progress', () => {
  const host: CaptureHost = {
    address: 'a:1',
    phase: 'recording',
    elapsed_seconds: 0.5,
    received_bytes: 0,
    message: '',
    hint: '',
  };
  expect(stateOf(host, 2)).toEqual({ ratio: 0.25, text: 'Recording 0.5 s of 2.0 s' });
  expect(stateOf({ ...host, elapsed_seconds: 9 }, 2).ratio).toBe(1);
  expect(stateOf({ ...host, phase: 'failed' }, 2).text).toBe('Failed');
});

test('only a complete capture opens automatically', () => {
  const report = { state: 'done', status: 'complete', session: 'run' } as CaptureReport;
  expect(sessionToOpen(report)).toBe('run');
  expect(sessionToOpen({ ...report, status: 'partial' })).toBeNull();
  expect(sessionToOpen({ ...report, state: 'running' })).toBeNull();
});
