/**
 * What the list of sessions shows of their steps: known of sessions that were indexed, requested for
 * those that are open anyway.
 */
import { createSignal } from 'solid-js';

import { reportUrl } from '../../wire/report';
import { forget, getJson } from '../../wire/client';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { SessionSummary } from '../../wire/types';

export interface Measured {
  step_ps: number | null;
  /** Steps in order, in any unit. */
  heights: readonly number[];
}

/** Each update of the list sorts it: not for every one of thousands of sessions. */
const UPDATE_MS = 250;

const measured = new Map<string, Measured>();
const [generation, setGeneration] = createSignal(0);
const [isMeasuring, setMeasuring] = createSignal(false);
/** The state of its files in which a session was asked, by key. */
const asked = new Map<string, string>();

export { isMeasuring };

/** Changes with the files of a session, which grow while it is captured. */
const stateOf = ({ size_bytes, modified_epoch_ms }: SessionSummary): string =>
  `${size_bytes} ${modified_epoch_ms ?? ''}`;

/** The steps of a session; undefined while they are unknown. Reactive. */
export function measuredOf(session: SessionSummary): Measured | undefined {
  generation();
  const own = measured.get(session.key);
  if (own || !session.is_indexed) return own;
  return { step_ps: session.step_time_ps, heights: session.step_sparkline_ratio };
}

/**
 * Requests the steps of the sessions one after another; one that cannot be read stays unknown. Each is
 * open afterwards, so the list knows more of it: `onOpened` asks for it now and then, and at the end.
 */
export async function measure(
  sessions: readonly SessionSummary[],
  onOpened: (isLast: boolean) => void = () => undefined,
): Promise<void> {
  const wanted = sessions.filter(
    (session) =>
      !session.is_indexed &&
      asked.get(session.key) !== stateOf(session) &&
      session.kind.includes('trace'),
  );
  // The figures of before are shown until those of the grown session are there.
  for (const session of wanted) asked.set(session.key, stateOf(session));
  if (wanted.length === 0) return;
  setMeasuring(true);
  let updatedMs = performance.now();
  for (const { key } of wanted) {
    const url = reportUrl(key, 'overview', {});
    forget(url);
    const report = await getJson<OverviewReport>(url).catch(() => undefined);
    if (!report) continue;
    const step_ps = report.step_time_ps?.mean ?? null;
    measured.set(key, { step_ps, heights: report.step_series.map((bar) => bar.duration_ps) });
    if (performance.now() - updatedMs < UPDATE_MS) continue;
    updatedMs = performance.now();
    setGeneration(generation() + 1);
    onOpened(false);
  }
  setGeneration(generation() + 1);
  setMeasuring(false);
  onOpened(true);
}
