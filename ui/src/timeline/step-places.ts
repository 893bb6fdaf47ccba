/**
 * The places whose steps the ruler can show: hosts, with the steps they annotated, and devices. A
 * step has a different span on each, so the ruler shows one place at a time. Pure.
 */
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';

/** The steps of one host or device. */
export interface StepPlace {
  /** The name shown in the choice of places; unique. */
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

/** The place with this name, else the first. */
export function stepPlaceOf(places: readonly StepPlace[], name: string): StepPlace | undefined {
  return places.find((place) => place.name === name) ?? places[0];
}

/** The steps of a session at the place that the ruler shows, or at its first one. */
export function stepsAt(report: TimelineReport, place: string): readonly TimelineStep[] {
  return stepPlaceOf(stepPlacesOf(report), place)?.steps ?? [];
}
