/** What to shrink, and how much that saves. */
import { For, Show } from 'solid-js';

import { formatBytes, formatRatio, plural } from '../../format/numbers';
import { ShareCell } from '../../widgets/bars';
import { createFirst, FirstOf } from '../../widgets/first';
import { SourceText } from '../../widgets/source-text';
import type { BufferSaving } from '../../wire/generated/BufferSaving';
import type { BuffersReport } from '../../wire/generated/BuffersReport';
import { graphHref } from './columns';

/** Changes that are listed at first, those that save most. */
const AT_FIRST = 8;

const REMEDIES: Record<string, string> = {
  rematerialize: 'Recompute',
  donate: 'Donate',
  shard: 'Shard',
  precision: 'Lower precision',
  batch: 'Smaller batch',
  padding: 'Less padding',
};

/** What to shrink, and how much memory each change frees. */
export function Savings(props: { report: BuffersReport }) {
  const peak = () => Math.max(1, props.report.peak_bytes);
  const first = createFirst(() => props.report.savings, AT_FIRST);
  return (
    <Show when={props.report.savings.length > 0}>
      <section class="card buffers-card">
        <header>
          <h2>What to shrink</h2>
          <span class="muted">Reduction of the peak</span>
        </header>
        <ul class="buffers-savings">
          <For each={first.rows()}>
            {(saving) => (
              <Saving saving={saving} peak={peak()} programId={props.report.program_id} />
            )}
          </For>
        </ul>
        <FirstOf first={first} noun="change" />
      </section>
    </Show>
  );
}

function Saving(props: { saving: BufferSaving; peak: number; programId: string }) {
  const saving = () => props.saving;
  return (
    <li>
      <b class="number">{formatBytes(saving().frees_bytes)}</b>
      <ShareCell
        ratio={saving().frees_bytes / props.peak}
        text={formatRatio(saving().frees_bytes / props.peak)}
        color="var(--accent)"
      />
      <div>
        <p>
          <b>{REMEDIES[saving().remedy] ?? saving().remedy}</b>{' '}
          <span class="mono">{saving().group}</span>{' '}
          <span class="muted">
            {plural(saving().count, 'buffer')}, {formatBytes(saving().bytes)}
            <Show when={saving().source}>
              {(source) => (
                <>
                  , <SourceText text={source()} isStop />
                </>
              )}
            </Show>
            , such as{' '}
            <a href={graphHref(props.programId, saving().instruction)}>{saving().instruction}</a>
          </span>
        </p>
        <p class="muted">{saving().advice}</p>
      </div>
    </li>
  );
}
