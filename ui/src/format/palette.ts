/**
 * Colors by meaning, the same in light and dark mode. Hues follow the Okabe-Ito set, which is
 * distinguishable with any color vision; neighbors in a chart also differ in lightness. Red is missing
 * on purpose: it is reserved for problems.
 */

import { WORDS } from '../wire/generated/words';

/** Colors of slices and ops by the class that the server assigns. */
export const CLASS_COLORS = {
  matmul: '#3f7fd0',
  attention: '#8f74d6',
  compute: '#2f9e83',
  collective: '#e08b1f',
  copy: '#d3b53a',
  program: '#7488a6',
  step: '#97a1af',
  python: '#8ea04f',
  host: '#a98f78',
  wait: '#c882a9',
  input: '#b55f93',
  compile: '#8a6a45',
  marker: '#6f7a89',
  idle: '#a3acb94d',
} as const;
export type ClassName = keyof typeof CLASS_COLORS;

/** Titles of classes in legends. */
export const CLASS_TITLES: Record<ClassName, string> = {
  matmul: 'Matmul',
  attention: 'Attention',
  compute: 'Other compute',
  collective: 'Collective',
  copy: 'Copy',
  program: 'Program',
  step: 'Step',
  python: 'Python',
  host: 'Host',
  wait: 'Wait',
  input: 'Input',
  compile: 'Compile',
  marker: 'Marker',
  idle: 'Idle',
};

const PART_COLORS: Record<(typeof WORDS.parts)[number]['key'], string> = {
  device_compute: CLASS_COLORS.compute,
  collectives: CLASS_COLORS.collective,
  host_to_device: CLASS_COLORS.copy,
  device_to_host: '#b3952a',
  device_to_device: '#e6d27a',
  python_callbacks: CLASS_COLORS.python,
  input_wait: CLASS_COLORS.input,
  compilation: CLASS_COLORS.compile,
  host_overhead: CLASS_COLORS.host,
  idle: CLASS_COLORS.idle,
};

/** The parts of a step, in the order in which they stack and sum. */
export const PARTS = WORDS.parts.map(({ key, title }) => ({
  part: key,
  title,
  color: PART_COLORS[key],
}));
export type PartName = (typeof PARTS)[number]['part'];

/** Color of a class; an unknown class has the color of host work. */
export function classColor(name: string): string {
  return CLASS_COLORS[name as ClassName] ?? CLASS_COLORS.host;
}

/** Title of a class; an unknown class is its own title. */
export function classTitle(name: string): string {
  return CLASS_TITLES[name as ClassName] ?? name;
}

/** Color of a part of a step. */
export function partColor(part: string): string {
  return PARTS.find((entry) => entry.part === part)?.color ?? CLASS_COLORS.host;
}

/** Title of a part of a step. */
export function partTitle(part: string): string {
  return PARTS.find((entry) => entry.part === part)?.title ?? part;
}

/** Black or white, whichever reads better on the color (`#rrggbb` or `#rrggbbaa`). */
export function textOn(color: string): '#111418' | '#ffffff' {
  const channel = (from: number) => {
    const value = parseInt(color.slice(from, from + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  // Relative luminance, WCAG 2.
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return (luminance + 0.05) ** 2 > 1.05 * 0.055 ? '#111418' : '#ffffff';
}

/** Makes every color a CSS variable: `--class-matmul`, `--part-device-compute`. */
export function installPalette(element: HTMLElement): void {
  for (const [name, color] of Object.entries(CLASS_COLORS)) {
    element.style.setProperty(`--class-${name}`, color);
  }
  for (const { part, color } of PARTS) {
    element.style.setProperty(`--part-${part.replace(/_/g, '-')}`, color);
  }
}
