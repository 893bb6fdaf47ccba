/**
 * Where the steps on the ruler are: on a host, as it annotated them, or on a device. A step has
 * another span on each, so the ruler shows those of one place at a time. Pure.
 */
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';

/** The steps of one host or device. */
export interface StepPlace {
  /** What people choose it by; no two places have the same. */
  name: string;
  /** In time order. */
  steps: readonly TimelineStep[];
}

/** All places, in the order of the report. */
export function stepPlacesOf(report: TimelineReport): StepPlace[] {
  const hosts = new Set(report.steps.map((step) => step.host));
  const byName = new Map<string, TimelineStep[]>();
  for (const step of report.steps) {
    const { host, device } = step;
    const name = device === '' ? host : hosts.size > 1 ? `${host} / ${device}` : device;
    const steps = byName.get(name);
    if (steps) steps.push(step);
    else byName.set(name, [step]);
  }
  return [...byName].map(([name, steps]) => ({
    name,
    steps: steps.sort((one, other) => one.start_ps - other.start_ps),
  }));
}

/** The place of this name, else the first. */
export function stepPlaceOf(places: readonly StepPlace[], name: string): StepPlace | undefined {
  return places.find((place) => place.name === name) ?? places[0];
}
