/** Why devices wait, why input is late, where a request's time goes: titles and colors. */
import { WORDS } from '../wire/generated/words';
import { CLASS_COLORS } from './palette';

export interface Meaning {
  key: string;
  title: string;
  color: string;
}

/** Adds colors to the words of an enum; a missing color is a compile error. */
function colored<Key extends string>(
  words: readonly { key: Key; title: string; meaning: string }[],
  colors: Record<Key, string>,
): readonly Meaning[] {
  return words.map(({ key, title }) => ({ key, title, color: colors[key] }));
}

/** Causes of gaps by priority, which is the order of arrays by cause. */
export const CAUSES = colored(WORDS.causes, {
  compilation: CLASS_COLORS.compile,
  data_loading: CLASS_COLORS.input,
  copy_to_device: '#b3952a',
  garbage_collection: '#5d8a8f',
  checkpoint: CLASS_COLORS.program,
  profiler: '#56616e',
  transfer: CLASS_COLORS.copy,
  dispatch: CLASS_COLORS.matmul,
  sleep: CLASS_COLORS.attention,
  python: CLASS_COLORS.python,
  runtime: CLASS_COLORS.host,
  annotation: '#cfa27a',
  callback: '#b08ae0',
  device: '#6f8fa8',
  blocked: CLASS_COLORS.wait,
  unknown: '#a3acb9',
});

/** Why a device waits for input, in the order of arrays by cause; copies by the device come last. */
export const INPUT_CAUSES = colored(WORDS.input_causes, {
  transfer: '#b3952a',
  read: '#3f7fd0',
  preprocess: '#8f74d6',
  enqueue: '#2f9e83',
  prefetch: '#7488a6',
  wait: '#c882a9',
  load: CLASS_COLORS.input,
  copies: CLASS_COLORS.copy,
});

/** Phases of a compilation, in their usual order. */
export const COMPILE_PHASES = colored(WORDS.compile_phases, {
  trace: CLASS_COLORS.python,
  lower: '#5d8a8f',
  cache: CLASS_COLORS.copy,
  optimize: CLASS_COLORS.matmul,
  generate: CLASS_COLORS.compile,
  autotune: CLASS_COLORS.collective,
  backend: CLASS_COLORS.host,
  other: CLASS_COLORS.idle,
});

/** Phases of a request, in the order of arrays by phase. */
export const REQUEST_PHASES = colored(WORDS.request_phases, {
  prepare: CLASS_COLORS.python,
  queue: CLASS_COLORS.wait,
  formation: CLASS_COLORS.attention,
  compilation: CLASS_COLORS.compile,
  runtime: CLASS_COLORS.host,
  to_device: CLASS_COLORS.copy,
  device: CLASS_COLORS.compute,
  to_host: '#b3952a',
  finish: '#5d8a8f',
  idle: CLASS_COLORS.idle,
});

/** The meaning of a key; an unknown one is its own title. */
export function meaningOf(meanings: readonly Meaning[], key: string): Meaning {
  return meanings.find((meaning) => meaning.key === key) ?? { key, title: key, color: '#a98f78' };
}

/** The meanings with any time in the rows. */
export function occurring(
  meanings: readonly Meaning[],
  rows: readonly (readonly number[])[],
): Meaning[] {
  return meanings.filter((_, index) => rows.some((row) => (row[index] ?? 0) > 0));
}
