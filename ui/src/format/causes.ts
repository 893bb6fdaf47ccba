/** Why devices wait, why input is late, where a request's time goes: titles and colours. */
import { CLASS_COLOURS } from './palette';

export interface Meaning {
  key: string;
  title: string;
  colour: string;
}

/** Causes of gaps, in the order of their priority, which is that of arrays by cause. */
export const CAUSES: readonly Meaning[] = [
  { key: 'compilation', title: 'Compilation', colour: CLASS_COLOURS.compile },
  { key: 'data_loading', title: 'Data loading', colour: CLASS_COLOURS.input },
  { key: 'garbage_collection', title: 'Garbage collection', colour: '#5d8a8f' },
  { key: 'checkpoint', title: 'Checkpoint', colour: CLASS_COLOURS.program },
  { key: 'profiler', title: 'Profiler', colour: '#56616e' },
  { key: 'transfer', title: 'Transfer', colour: CLASS_COLOURS.copy },
  { key: 'dispatch', title: 'Dispatch', colour: CLASS_COLOURS.matmul },
  { key: 'sleep', title: 'Sleep', colour: CLASS_COLOURS.attention },
  { key: 'python', title: 'Python', colour: CLASS_COLOURS.python },
  { key: 'runtime', title: 'Runtime', colour: CLASS_COLOURS.host },
  { key: 'annotation', title: 'Annotation', colour: '#cfa27a' },
  { key: 'callback', title: 'Callback', colour: '#b08ae0' },
  { key: 'device', title: 'Device pauses', colour: '#6f8fa8' },
  { key: 'blocked', title: 'Blocked', colour: CLASS_COLOURS.wait },
  { key: 'unknown', title: 'Not recorded', colour: '#a3acb9' },
];

/** Why a device waits for input, in the order of arrays by cause; copies outside of loading last. */
export const INPUT_CAUSES: readonly Meaning[] = [
  { key: 'transfer', title: 'Copy while loading', colour: '#b3952a' },
  { key: 'read', title: 'Reading', colour: '#3f7fd0' },
  { key: 'preprocess', title: 'Preprocessing', colour: '#8f74d6' },
  { key: 'enqueue', title: 'Infeed', colour: '#2f9e83' },
  { key: 'prefetch', title: 'Prefetch', colour: '#7488a6' },
  { key: 'wait', title: 'Waiting for the iterator', colour: '#c882a9' },
  { key: 'load', title: 'Loading', colour: CLASS_COLOURS.input },
  { key: 'copies', title: 'Copies in', colour: CLASS_COLOURS.copy },
];

/** Phases of a compilation, in the order in which they usually come. */
export const COMPILE_PHASES: readonly Meaning[] = [
  { key: 'trace', title: 'Trace', colour: CLASS_COLOURS.python },
  { key: 'lower', title: 'Lower', colour: '#5d8a8f' },
  { key: 'cache', title: 'Cache', colour: CLASS_COLOURS.copy },
  { key: 'optimise', title: 'HLO passes', colour: CLASS_COLOURS.matmul },
  { key: 'generate', title: 'Code generation', colour: CLASS_COLOURS.compile },
  { key: 'autotune', title: 'Autotuning', colour: CLASS_COLOURS.collective },
  { key: 'backend', title: 'Backend', colour: CLASS_COLOURS.host },
  { key: 'other', title: 'Other', colour: CLASS_COLOURS.idle },
];

/** Phases of a request, in the order of arrays by phase. */
export const REQUEST_PHASES: readonly Meaning[] = [
  { key: 'prepare', title: 'Prepare', colour: CLASS_COLOURS.python },
  { key: 'queue', title: 'Queue', colour: CLASS_COLOURS.wait },
  { key: 'formation', title: 'Batch formation', colour: CLASS_COLOURS.attention },
  { key: 'runtime', title: 'Runtime', colour: CLASS_COLOURS.host },
  { key: 'to_device', title: 'To device', colour: CLASS_COLOURS.copy },
  { key: 'device', title: 'Device', colour: CLASS_COLOURS.compute },
  { key: 'to_host', title: 'To host', colour: '#b3952a' },
  { key: 'finish', title: 'Finish', colour: '#5d8a8f' },
  { key: 'idle', title: 'Not recorded', colour: CLASS_COLOURS.idle },
];

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
