/** Details of one node, next to the tree. */
import { For, onMount, Show } from 'solid-js';

import {
  format,
  formatBytes,
  formatCount,
  formatDuration,
  formatRatio,
} from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { titleOf } from '../../shell/session';
import { closeOnEscape } from '../../shell/shortcuts';
import { CopyButton } from '../../widgets/copy';
import { OpLinks } from '../../widgets/op-links';
import { returnFocus } from '../../widgets/return-focus';
import { SourceText } from '../../widgets/source-text';
import type { OpTreeRow } from '../../wire/generated/OpTreeRow';
import '../ops/ops.css';

const LEVELS: Record<string, string> = {
  hbm: 'Device memory',
  cmem_read: 'CMEM reads',
  cmem_write: 'CMEM writes',
  vmem_read: 'VMEM reads',
  vmem_write: 'VMEM writes',
  shared: 'Shared memory',
};

interface Line {
  figure: string;
  title: string;
  value: string;
}

function linesOf(row: OpTreeRow): Line[] {
  const lines: (Line | false)[] = [
    row.kind !== 'instruction' && {
      figure: 'op_tree.rows.self_ps',
      title: 'Self',
      value: `${formatDuration(row.self_ps)} (${formatRatio(row.ratio)})`,
    },
    row.kind !== 'instruction' && {
      figure: 'op_tree.rows.total_ps',
      title: 'Total',
      value: formatDuration(row.total_ps),
    },
    row.wasted_ps !== null && {
      figure: 'op_tree.rows.wasted_ps',
      title: 'Wasted',
      value: formatDuration(row.wasted_ps),
    },
    { figure: 'op_tree.rows.occurrences', title: 'Count', value: formatCount(row.occurrences) },
    row.flops !== null && { figure: 'op_tree.rows.flops', title: 'Work', value: format('flops', row.flops) },
    row.bytes !== null && { figure: 'op_tree.rows.bytes', title: 'Bytes', value: formatBytes(row.bytes) },
    row.flop_rate !== null && {
      figure: 'op_tree.rows.flop_rate',
      title: 'Rate',
      value: withRatio(format('flop_rate', row.flop_rate), row.compute_ratio),
    },
    row.bandwidth !== null && {
      figure: 'op_tree.rows.bandwidth',
      title: 'Bandwidth',
      value: format('bandwidth', row.bandwidth),
    },
    row.bound_by !== '' && { figure: 'op_tree.rows.bound_by', title: 'Bound by', value: row.bound_by },
  ];
  const levels = row.levels.map((level) => ({
    figure: 'op_tree.levels',
    title: LEVELS[level.level] ?? level.level,
    value: withRatio(formatBytes(level.bytes), level.ratio),
  }));
  return [...lines.filter((line) => line !== false), ...levels];
}

function withRatio(text: string, ratio: number | null): string {
  return ratio === null ? text : `${text} (${formatRatio(ratio)})`;
}

export function NodeDetails(props: { row: OpTreeRow; close: () => void }) {
  closeOnEscape(() => props.close());
  let aside!: HTMLElement;
  onMount(() => returnFocus(aside));
  const long = () =>
    [
      ['Scope', props.row.scope],
      ['HLO', props.row.expression],
    ].filter(([, text]) => text);
  return (
    <aside ref={aside} class="card op-details op-tree-details" aria-label="Node">
      <header>
        <h2>{titleOf(props.row.kind)}</h2>
        <span class="spacer" />
        <button class="quiet" aria-label="Close" onClick={() => props.close()}>
          <Icon name="close" />
        </button>
      </header>
      <p class="mono op-details-name">{props.row.name}</p>
      <Show when={props.row.op && props.row.kind !== 'instruction'}>
        <div class="op-details-actions">
          <OpLinks name={props.row.op} programId={props.row.program_id} />
        </div>
      </Show>
      <Show when={props.row.kind === 'instruction'}>
        <p class="muted op-details-name">
          Part of a fusion: its work is computed from the HLO, and its time is not recorded.
        </p>
      </Show>
      <dl>
        <For each={linesOf(props.row)}>
          {(line) => (
            <div>
              <dt data-figure={line.figure}>{line.title}</dt>
              <dd class="number">{line.value}</dd>
            </div>
          )}
        </For>
        <Show when={props.row.source}>
          {(source) => (
            <div class="is-long">
              <dt>Source</dt>
              <dd>
                <SourceText text={source()} isStop />
              </dd>
            </div>
          )}
        </Show>
        <For each={long()}>
          {([title, text]) => (
            <div class="is-long">
              <dt>{title}</dt>
              <dd class="mono">{text}</dd>
            </div>
          )}
        </For>
      </dl>
      <Show when={props.row.expression}>
        <div class="op-details-actions">
          <CopyButton text={() => props.row.expression} tip="Copy the HLO text">
            Copy HLO
          </CopyButton>
        </div>
      </Show>
    </aside>
  );
}
