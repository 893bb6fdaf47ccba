import { expect, test } from 'vitest';

import type { Finding } from '../../wire/generated/Finding';
import type { Severity } from '../../wire/generated/Severity';
import { bannerKey, dismiss, isDismissed, urgent } from './dismissed';

const finding = (id: string, severity: Severity): Finding => ({
  id,
  severity,
  what: '',
  why: '',
  fix: '',
});

const FINDINGS = [finding('truncated', 'bad'), finding('compilation', 'warning')];

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as unknown as Storage;
}

test('findings are urgent by their severity, and notes never', () => {
  const all = [...FINDINGS, finding('single_step', 'info')];
  expect(urgent(all, 'bad').map((found) => found.id)).toEqual(['truncated']);
  expect(urgent(all, 'warning').map((found) => found.id)).toEqual(['compilation']);
});

test('a dismissed banner stays away until something else is found', () => {
  const store = storage();
  const key = bannerKey('run', FINDINGS);
  expect(isDismissed(store, key)).toBe(false);
  dismiss(store, key);
  expect(isDismissed(store, key)).toBe(true);
  expect(isDismissed(store, bannerKey('other', FINDINGS))).toBe(false);
  expect(isDismissed(store, bannerKey('run', FINDINGS.slice(1)))).toBe(false);
});

test('without storage, the banner is shown', () => {
  const broken = {
    getItem: () => {
      throw new Error('forbidden');
    },
    setItem: () => {
      throw new Error('forbidden');
    },
  } as unknown as Storage;
  dismiss(broken, 'key');
  expect(isDismissed(broken, 'key')).toBe(false);
  expect(isDismissed(null, 'key')).toBe(false);
});
