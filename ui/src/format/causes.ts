/** Why devices wait, why input is late, where a request's time goes: titles and colours. */
import { WORDS } from '../wire/generated/words';
import { CLASS_COLOURS } from './palette';

export interface Meaning {
  key: string;
  title: string;
  colour: string;
}

/** The words of an enum with their colours; the compiler finds a value without one. */
function coloured<Key extends string>(
  words: readonly { key: Key; title: string; meaning: string }[],
  colours: Record<Key, string>,
): readonly Meaning[] {
  return words.map(({ key, title }) => ({ key, title, colour: colours[key] }));
}

/** Causes of gaps, in the order of their priority, which is that of arrays by cause. */
export const CAUSES = coloured(WORDS.causes, {
  compilation: CLASS_COLOURS.compile,
  data_loading: CLASS_COLOURS.input,
  garbage_collection: '#5d8a8f',
  checkpoint: CLASS_COLOURS.program,
  profiler: '#56616e',
  transfer: CLASS_COLOURS.copy,
  dispatch: CLASS_COLOURS.matmul,
  sleep: CLASS_COLOURS.attention,
  python: CLASS_COLOURS.python,
  runtime: CLASS_COLOURS.host,
  annotation: '#cfa27a',
  callback: '#b08ae0',
  device: '#6f8fa8',
  blocked: CLASS_COLOURS.wait,
  unknown: '#a3acb9',
});

/** Why a device waits for input, in the order of arrays by cause; copies outside of loading last. */
export const INPUT_CAUSES = coloured(WORDS.input_causes, {
  transfer: '#b3952a',
  read: '#3f7fd0',
  preprocess: '#8f74d6',
  enqueue: '#2f9e83',
  prefetch: '#7488a6',
  wait: '#c882a9',
  load: CLASS_COLOURS.input,
  copies: CLASS_COLOURS.copy,
});

/** Phases of a compilation, in the order in which they usually come. */
export const COMPILE_PHASES = coloured(WORDS.compile_phases, {
  trace: CLASS_COLOURS.python,
  lower: '#5d8a8f',
  cache: CLASS_COLOURS.copy,
  optimise: CLASS_COLOURS.matmul,
  generate: CLASS_COLOURS.compile,
  autotune: CLASS_COLOURS.collective,
  backend: CLASS_COLOURS.host,
  other: CLASS_COLOURS.idle,
});

/** Phases of a request, in the order of arrays by phase. */
export const REQUEST_PHASES = coloured(WORDS.request_phases, {
  prepare: CLASS_COLOURS.python,
  queue: CLASS_COLOURS.wait,
  formation: CLASS_COLOURS.attention,
  runtime: CLASS_COLOURS.host,
  to_device: CLASS_COLOURS.copy,
  device: CLASS_COLOURS.compute,
  to_host: '#b3952a',
  finish: '#5d8a8f',
  idle: CLASS_COLOURS.idle,
});

/** The meaning of a key; an unknown one is its own title. */
export function meaningOf(meanings: readonly Meaning[], key: string): Meaning {
  return meanings.find((meaning) => meaning.key === key) ?? { key, title: key, colour: '#a98f78' };
}

/** Those that have any time in one of the rows. */
export function occurring(
  meanings: readonly Meaning[],
  rows: readonly (readonly number[])[],
): Meaning[] {
  return meanings.filter((_, index) => rows.some((row) => (row[index] ?? 0) > 0));
}
