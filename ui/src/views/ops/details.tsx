/** Details of one op, next to the table. */
import { For, onMount, Show, type JSX } from 'solid-js';

import { attributionText, categoryText } from '../../format/attribution';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRatio,
  format,
} from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { Icon } from '../../shell/icons';
import { shared } from '../../shell/shared';
import { closeOnEscape } from '../../shell/shortcuts';
import { hrefTo, navigate, select } from '../../shell/state';
import { CopyButton } from '../../widgets/copy';
import { SourceLines } from '../../widgets/source-lines';
import { returnFocus } from '../../widgets/return-focus';
import { SourceText } from '../../widgets/source-text';
import type { OpRow } from '../../wire/generated/OpRow';

interface Line {
  figure: string;
  title: string;
  value: JSX.Element;
  isLong?: boolean;
}

export function OpDetails(props: { session: string; op: OpRow; close: () => void }) {
  closeOnEscape(() => props.close());
  let aside!: HTMLElement;
  onMount(() => returnFocus(aside));
  const lines = (): Line[] => {
    const op = props.op;
    return [
      {
        figure: 'ops.rows.self_ps',
        title: 'Self',
        value: `${formatDuration(op.self_ps)} (${formatRatio(op.self_ratio)})`,
      },
      { figure: 'ops.rows.total_ps', title: 'Total', value: formatDuration(op.total_ps) },
      { figure: 'ops.rows.occurrences', title: 'Count', value: formatCount(op.occurrences) },
      {
        figure: '',
        title: 'Mean',
        value: op.occurrences > 0 ? formatDuration(Math.round(op.total_ps / op.occurrences)) : '–',
      },
      { figure: 'ops.rows.flops', title: 'FLOP', value: format('flops', op.flops) },
      { figure: 'ops.rows.bytes', title: 'Bytes', value: formatBytes(op.bytes) },
      { figure: 'ops.rows.flop_rate', title: 'Rate', value: format('flop_rate', op.flop_rate) },
      { figure: 'ops.rows.bandwidth', title: 'Bandwidth', value: format('bandwidth', op.bandwidth) },
      { figure: 'ops.rows.bound_by', title: 'Bound by', value: op.bound_by || 'unknown' },
      { figure: 'ops.rows.roofline_ratio', title: 'Of roofline', value: formatRatio(op.roofline_ratio) },
      { figure: 'ops.rows.operand_type', title: 'Operand type', value: op.operand_type || '–' },
      { figure: 'ops.rows.expectation', title: 'Expected', value: op.expectation || '–', isLong: true },
      { figure: 'ops.rows.cost_source', title: 'Work source', value: costSource(op.cost_source) },
      { figure: 'ops.rows.attribution', title: 'Attribution', value: attributionText(op.attribution) },
      {
        figure: 'ops.rows.category',
        title: 'Category',
        value: categoryText(op.category, op.category_source) || '–',
      },
      { figure: 'ops.rows.program', title: 'Program', value: op.program || '–', isLong: true },
      { figure: 'ops.rows.scope', title: 'Scope', value: op.scope || '–', isLong: true },
      {
        figure: 'ops.rows.source',
        title: 'Source',
        value: op.source ? <SourceText text={op.source} isStop /> : '–',
        isLong: true,
      },
    ];
  };
  return (
    <aside ref={aside} class="card op-details" aria-label="Op">
      <header>
        <span
          class="swatch"
          style={{ background: classColor(props.op.class) }}
          data-tip={classTitle(props.op.class)}
        />
        <h2>{classTitle(props.op.class)}</h2>
        <Show when={props.op.is_rematerialized}>
          <span class="op-remat" data-figure="scopes.rows.rematerialized_ps">
            rematerialized
            </span>
        </Show>
        <span class="spacer" />
        <button class="quiet" aria-label="Close" onClick={() => props.close()}>
          <Icon name="close" />
        </button>
      </header>
      <p class="mono op-details-name">{props.op.name}</p>
      <div class="op-details-actions">
        <button
          data-tip="Search the timeline for this op"
          onClick={() =>
            navigate({ view: 'timeline', params: { search: `^${escapeRegex(props.op.name)}$` } })
          }
        >
          Show in timeline
        </button>
        <Show when={props.op.program_id}>
          <a
            class="button"
            data-tip="Show it in the graph of the program"
            href={hrefTo({
              view: 'graph',
              params: { program: props.op.program_id, op: props.op.name },
            })}
          >
            Graph
          </a>
        </Show>
        <button
          data-tip="Select only this op in every view"
          onClick={() => select('match', `^${escapeRegex(props.op.name)}$`)}
        >
          Select
        </button>
        <CopyButton text={() => props.op.name} tip="Copy the name">
          Copy name
        </CopyButton>
      </div>
      <dl>
        <For each={lines()}>
          {(line) => (
            <div classList={{ 'is-long': line.isLong ?? false }}>
              <dt data-figure={line.figure || undefined}>{line.title}</dt>
              <dd class="number">{line.value}</dd>
            </div>
          )}
        </For>
      </dl>
      <Show when={props.op.source && shared() === null}>
        <SourceLines session={props.session} source={props.op.source} />
      </Show>
    </aside>
  );
}

function costSource(source: string): string {
  if (source === 'recorded') return 'recorded';
  if (source === 'hlo') return 'computed from the HLO';
  if (source === 'shapes') return 'computed from the shapes of a known call';
  if (source === 'estimate') return 'estimated by the author of the kernel';
  return 'unknown';
}
