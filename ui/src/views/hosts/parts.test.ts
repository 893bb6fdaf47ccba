import { describe, expect, test } from 'vitest';

import type { HostRow } from '../../wire/generated/HostRow';
import { HOST_PARTS, partOf } from './parts';

const row = (parts: Partial<HostRow>) => parts as HostRow;

describe('the parts of a host', () => {
  test('copies in all directions are one part', () => {
    const names = HOST_PARTS.map(({ part }) => part);
    expect(names.filter((name) => name === 'copies')).toHaveLength(1);
    expect(names).not.toContain('host_to_device');
    expect(names.indexOf('copies')).toBeLessThan(names.indexOf('idle'));
  });

  test('each is a figure of the report', () => {
    const host = row({ step_ps: 1000, device_compute_ps: 300, copies_ps: 500, idle_ps: 200 });
    expect(partOf(host, 'copies')).toBe(500);
    expect(partOf(host, 'idle')).toBe(200);
    expect(partOf(host, 'collectives')).toBe(0);
    expect(partOf(row({ step_ps: null, copies_ps: null }), 'copies')).toBe(0);
  });
});
