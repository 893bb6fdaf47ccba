/** Runs the query in the link and lays its rows over the tracks; names, edits and removes the track. */
import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js';

import { formatCount, plural } from '../../format/numbers';
import { sentence } from '../../format/text';
import { Icon } from '../../shell/icons';
import { getParam, hrefTo, route, setParams, SQL_VIEW } from '../../shell/state';
import { intervalsOf, MOST_INTERVALS, nameOfQuery } from '../../sql/intervals';
import { LAID_NAME_PARAM, LAID_PARAM, LAID_SCOPE_PARAM } from '../../sql/lay';
import { laidTrack } from '../../timeline/laid-track';
import type { Timeline } from '../../timeline/timeline';
import { Hint } from '../../widgets/notes';
import { Popover } from '../../widgets/popover';
import { isAbort, postJson, WireError } from '../../wire/client';
import type { SqlReport } from '../../wire/generated/SqlReport';

export default function LaidChip(props: { timeline: Timeline; session: string }) {
  const { timeline, session } = props;
  const [report, setReport] = createSignal<SqlReport>();
  const [error, setError] = createSignal<WireError>();
  const query = () => getParam(LAID_PARAM) ?? '';
  const isOfAll = () => getParam(LAID_SCOPE_PARAM) === 'all';
  const name = () => getParam(LAID_NAME_PARAM) || nameOfQuery(query());
  createEffect(
    on([query, isOfAll], ([text, ofAll]) => {
      setReport(undefined);
      setError(undefined);
      if (!text) return;
      const controller = new AbortController();
      onCleanup(() => controller.abort());
      const scope = ofAll ? {} : { sessions: [session] };
      const body = { query: text, ...scope, limit: MOST_INTERVALS };
      postJson<SqlReport>('api/sql', body, controller.signal).then(setReport, (reason: unknown) => {
        if (isAbort(reason)) return;
        setError(reason instanceof WireError ? reason : new WireError(String(reason), '', 0));
      });
    }),
  );
  const found = createMemo(() => {
    const answer = report();
    return answer && intervalsOf(answer, session);
  });
  createEffect(() => {
    const intervals = found();
    if (intervals) timeline.lay(laidTrack(name(), intervals.all, intervals.factsOf));
  });
  onCleanup(() => {
    const isSameTimeline = route.session === session && route.view === 'timeline';
    if (isSameTimeline && !getParam(LAID_PARAM)) timeline.lay(null);
  });
  const remove = () =>
    setParams({ [LAID_PARAM]: null, [LAID_SCOPE_PARAM]: null, [LAID_NAME_PARAM]: null }, false);
  const label = () => {
    const intervals = found();
    const count = intervals ? formatCount(intervals.all.length) : error() || report() ? '!' : '…';
    return `SQL ${count}`;
  };
  return (
    <span class="only-chip laid-chip" role="group" aria-label="Rows of a query over the timeline">
      <Popover label={label()} tip={name()} class="quiet" isAbove>
        {(close) => (
          <div class="laid-panel">
            <label>
              Name
              <input
                type="text"
                value={name()}
                onChange={(event) =>
                  setParams({ [LAID_NAME_PARAM]: event.currentTarget.value.trim() }, false)
                }
              />
            </label>
            <p>{said(report(), found(), error())}</p>
            <Show when={error()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
            <pre class="mono">{query()}</pre>
            <div class="laid-actions">
              <a
                class="button"
                href={hrefTo({
                  session: isOfAll() ? null : session,
                  view: SQL_VIEW,
                  params: { query: query() },
                })}
              >
                Edit the query
              </a>
              <button
                onClick={() => {
                  close();
                  remove();
                }}
              >
                Remove the track
              </button>
            </div>
          </div>
        )}
      </Popover>
      <button class="quiet" aria-label="Remove the rows of the query" onClick={remove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

/** What became of the query. */
function said(
  report: SqlReport | undefined,
  found: ReturnType<typeof intervalsOf> | undefined,
  error: WireError | undefined,
): string {
  if (error) return sentence(error.message);
  if (!report) return 'The query runs …';
  if (!found) return 'Its rows need start_ps, and duration_ps or end_ps';
  const isCut = report.row_count > report.rows.length;
  const cut = `The first ${formatCount(report.rows.length)} of ${plural(report.row_count, 'row')}`;
  const left = found.leftOut > 0 ? `; ${formatCount(found.leftOut)} without a time or of other sessions` : '';
  return `${isCut ? cut : plural(found.all.length, 'row')}${left}`;
}
