/**
 * What colors say: the class of a slice, its name, scope, program or pass, how long it took, or in
 * which step it began. Colors by text are the same in every session, as they depend on the text alone.
 */
import type { LabelFacts } from '../wire/generated/LabelFacts';
import { CLASS_NAMES, classIndexOf, FIRST_DURATION, FIRST_HUE, HUES, TINTS } from './palette';

/** What slices are colored by. */
export type ColorBy = 'class' | 'name' | 'scope' | 'program' | 'pass' | 'duration' | 'step';

export const COLORS_BY: readonly { key: ColorBy; title: string; needsFacts: boolean }[] = [
  { key: 'class', title: 'Class', needsFacts: false },
  { key: 'name', title: 'Op name', needsFacts: false },
  { key: 'scope', title: 'Scope', needsFacts: true },
  { key: 'program', title: 'Program', needsFacts: true },
  { key: 'pass', title: 'Forward and backward', needsFacts: true },
  { key: 'duration', title: 'Duration', needsFacts: false },
  { key: 'step', title: 'Step', needsFacts: false },
];

/** The choice that a text names; by class for anything else. */
export function colorByOf(text: string): ColorBy {
  return COLORS_BY.find(({ key }) => key === text)?.key ?? 'class';
}

/** Slot of a slice that has no value of the kind that colors show. */
const NONE = 0;

const PASS_CLASSES: Record<string, string> = {
  forward: 'matmul',
  backward: 'collective',
  rematerialized: 'attention',
};

/** What is known about a label. */
export interface LabelText {
  name: string;
  className: string;
  facts: LabelFacts | undefined;
}

/** The value that the color of a label shows; empty if it has none, or none for a whole label. */
export function keyOf(by: ColorBy, { name, className, facts }: LabelText): string {
  switch (by) {
    case 'class':
      return className;
    case 'name':
      return withoutNumber(name);
    case 'scope':
      return scopeKey(facts?.scope ?? '');
    case 'program':
    case 'pass':
      return facts?.[by] ?? '';
    default:
      return '';
  }
}

/** Color slot of a label. */
export function slotOf(by: ColorBy, text: LabelText): number {
  // Colors by time are of slices; the overview of the session keeps those of classes.
  if (by === 'class' || by === 'duration' || by === 'step') {
    return 1 + classIndexOf(text.className) * TINTS + tintOf(text.name);
  }
  const key = keyOf(by, text);
  if (!key) return NONE;
  if (by === 'pass') return 1 + CLASS_NAMES.indexOf(PASS_CLASSES[key] ?? 'host') * TINTS;
  return FIRST_HUE + (hashOf(key) % HUES);
}

/** Bounds of the colors by duration, in picoseconds: 1 µs, 10 µs, … */
export const DURATION_BOUNDS = [1e6, 1e7, 1e8, 1e9, 1e10, 1e11];

/** Color slot of a duration. */
export function slotOfDuration(durationPs: number): number {
  let at = 0;
  while (at < DURATION_BOUNDS.length && durationPs >= DURATION_BOUNDS[at]!) at++;
  return FIRST_DURATION + at;
}

/** Color slot of a step, so that steps next to each other differ. */
export function slotOfStep(step: number): number {
  return FIRST_HUE + ((((step * 7) % HUES) + HUES) % HUES);
}

/** Color slots of single slices, if not all slices of a label have the same; `stepAt` tells the step. */
export function slotOfSlices(
  by: ColorBy,
  stepAt: (timePs: number) => number,
): ((startPs: number, durationPs: number) => number) | null {
  if (by === 'step') return (startPs) => slotOfStep(stepAt(startPs));
  return by === 'duration' ? (_, durationPs) => slotOfDuration(durationPs) : null;
}

/** Whether colors are of single slices: labels have none of their own. */
export const isOfSlices = (by: ColorBy) => by === 'step' || by === 'duration';

/** The key of a color by duration: its lower bound in picoseconds. */
export const durationKey = (bound: number) => String(bound);

/**
 * Whether a slice is among those that are not dimmed, if that is not decided by its label; `stepAt`
 * tells the number of the step.
 */
export function isShownBy(
  by: ColorBy,
  only: ReadonlySet<string> | null,
  stepAt: (timePs: number) => number | undefined,
): ((startPs: number, durationPs: number) => boolean) | null {
  if (!only || !isOfSlices(by)) return null;
  if (by === 'step') return (startPs) => only.has(String(stepAt(startPs)));
  const bounds = [0, ...DURATION_BOUNDS];
  const isShown = bounds.map((bound) => only.has(durationKey(bound)));
  return (_, durationPs) => isShown[slotOfDuration(durationPs) - FIRST_DURATION] ?? false;
}

/** `fusion.12` and `fusion.7` are the same kind of op, and so are the markers of their ends. */
function withoutNumber(name: string): string {
  return name.replace(/^end: /, '').replace(/[.\d]+$/, '') || name;
}

/** A scope without the primitive at its end, which varies within a layer. */
function scopeKey(scope: string): string {
  const cut = scope.lastIndexOf('/');
  return cut > 0 ? scope.slice(0, cut) : scope;
}

/** A tint that depends on the name alone, so it is the same in every run; digits are ignored. */
export function tintOf(name: string): number {
  return hashOf(name.replace(/\d/g, '')) % TINTS;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
