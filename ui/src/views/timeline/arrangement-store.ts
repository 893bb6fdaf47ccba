/** The named arrangements of the rows of a timeline, kept in this browser, and how they are shown. */
import { createSignal } from 'solid-js';

import { getParam, setParams } from '../../shell/state';
import { store, stored } from '../../shell/stored';
import {
  arrangementOf,
  paramsNow,
  paramsOf,
  parseKept,
  shapeOf,
  withRenamed,
  withSaved,
  type Arrangement,
  type ArrangementParams,
} from '../../timeline/arrangements';
import type { Timeline } from '../../timeline/timeline';
import { showToast } from '../../widgets/toast';

const KEY = 'stepscope.arrangements';

const [kept, setKept] = createSignal(parseKept(stored(KEY)));

/** Those for sessions like this one. Reactive. */
export const arrangements = ({ report }: Timeline): readonly Arrangement[] =>
  kept()[shapeOf(report)] ?? [];

function keep({ report }: Timeline, list: readonly Arrangement[]): void {
  // Another page may have kept something meanwhile.
  const all = { ...parseKept(stored(KEY)), [shapeOf(report)]: [...list] };
  if (list.length === 0) delete all[shapeOf(report)];
  setKept(all);
  store(KEY, JSON.stringify(all));
}

/** Keeps the rows and colors as they are now. */
export function saveArrangement(timeline: Timeline, name: string): void {
  const saved = arrangementOf(timeline.report, name, paramsNow(getParam));
  keep(timeline, withSaved(arrangements(timeline), saved));
  showToast({ text: `Arrangement “${name}” saved`, key: 'timeline arrangement' });
}

/** Shows the rows and colors as they were kept. */
export function showArrangement(timeline: Timeline, arrangement: Arrangement): void {
  const before = paramsNow(getParam);
  const show = (params: ArrangementParams) => setParams(params, false);
  show(paramsOf(timeline.report, arrangement));
  showToast({
    text: `Arrangement “${arrangement.name}” shown`,
    key: 'timeline arrangement',
    action: { title: 'Undo', run: () => show(before) },
  });
}

/** Gives it another name; false if that is taken. */
export function renameArrangement(timeline: Timeline, from: string, to: string): boolean {
  const list = arrangements(timeline);
  const renamed = withRenamed(list, from, to);
  if (renamed === list) return from === to;
  keep(timeline, renamed);
  return true;
}

export function deleteArrangement(timeline: Timeline, name: string): void {
  const list = arrangements(timeline);
  keep(timeline, list.filter((one) => one.name !== name));
  showToast({
    text: `Arrangement “${name}” deleted`,
    key: 'timeline arrangement',
    action: { title: 'Undo', run: () => keep(timeline, list) },
  });
}
