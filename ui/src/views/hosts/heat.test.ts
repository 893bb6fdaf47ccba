import { describe, expect, it } from 'vitest';

import type { HostCell } from '../../wire/generated/HostCell';
import { cellAt, heatOf, metricsOf, opacity, strength } from './heat';

function cell(step: number, place: number, duration: number, lateness: number | null): HostCell {
  return {
    step,
    place,
    start_ps: 0,
    duration_ps: duration,
    lateness_ps: lateness,
    device_compute_ps: 0,
    collectives_ps: 0,
    copies_ps: 0,
    python_callbacks_ps: 0,
    input_wait_ps: 0,
    compilation_ps: 0,
    host_overhead_ps: 0,
    idle_ps: duration,
  };
}

describe('the heat map', () => {
  const cells = [cell(0, 0, 100, -5), cell(1, 0, 200, 5), cell(1, 1, 50, null)];

  it('has a legend that starts with the color of the smallest value', () => {
    const heat = heatOf([cell(0, 0, 100, null), cell(1, 0, 200, null)], 2, 1, 'duration_ps');
    expect(opacity(heat.least, heat)).toBeCloseTo(0.08 + 0.92 / 2);
    expect(opacity(heat.most, heat)).toBe(1);
  });

  it('lays cells out by place and step', () => {
    const heat = heatOf(cells, 2, 2, 'duration_ps');
    expect(heat.cells[1]).toBe(cells[1]);
    expect(heat.cells[2]).toBeUndefined();
    expect(heat.cells[3]).toBe(cells[2]);
    expect([heat.least, heat.most]).toEqual([50, 200]);
    expect(strength(200, heat)).toBe(1);
    expect(strength(50, heat)).toBe(0.25);
  });

  it('starts at the minimum if values are negative', () => {
    const heat = heatOf(cells, 2, 2, 'lateness_ps');
    expect(strength(-5, heat)).toBe(0);
    expect(strength(0, heat)).toBe(0.5);
    expect(strength(5, heat)).toBe(1);
  });

  it('offers the metrics that are not always zero', () => {
    expect(metricsOf(cells).map((metric) => metric.key)).toEqual([
      'duration_ps',
      'lateness_ps',
      'idle_ps',
    ]);
  });

  it('finds the cell under a point', () => {
    const heat = heatOf(cells, 2, 2, 'duration_ps');
    expect(cellAt(30, 5, 40, 20, heat)).toBe(1);
    expect(cellAt(5, 15, 40, 20, heat)).toBe(2);
    expect(cellAt(40, 5, 40, 20, heat)).toBeNull();
  });
});
