/** Ops of both sessions, matched, with what changed in each. */
import { createMemo, For, Show } from 'solid-js';

import { byEvidence, relativeText, signedText, toneOf } from '../../compare/change';
import { formatDuration } from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { Icon } from '../../shell/icons';
import { getParam, setParams } from '../../shell/state';
import { linkKeys, type LinkKeys } from '../../widgets/link-keys';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import { OpLinks } from '../../widgets/op-links';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { ComparedOp } from '../../wire/generated/ComparedOp';
import type { ComparedOpSide } from '../../wire/generated/ComparedOpSide';
import type { CompareReport } from '../../wire/generated/CompareReport';
import { declared } from '../../widgets/table/declared';
import '../../widgets/op-columns.css';

/** The rows of the table that can be chosen. */
const KINDS = [
  { key: 'all', title: 'All', tip: 'Every op of either session', has: () => true },
  {
    key: 'changed',
    title: 'Changed',
    tip: 'Time changed by more than noise, or the op itself changed',
    has: (op: ComparedOp) => op.time.evidence === 'beyond_noise' || op.matched === 'changed',
  },
  {
    key: 'new',
    title: 'Only here',
    tip: 'Ops that are not in the baseline',
    has: (op: ComparedOp) => op.baseline === null,
  },
  {
    key: 'gone',
    title: 'Only in the baseline',
    tip: 'Ops that are only in the baseline',
    has: (op: ComparedOp) => op.other === null,
  },
] as const;

const sideOf = (op: ComparedOp): ComparedOpSide | null => op.other ?? op.baseline;
/** Only changes beyond noise are better or worse. */
const toneOfOp = (op: ComparedOp) =>
  toneOf(
    op.time.difference_ps,
    byEvidence(op.time.evidence).better,
    byEvidence(op.time.evidence).isNoise,
  );

const MATCHED: Record<string, string> = {
  same: 'same',
  renamed: 'renamed',
  changed: 'changed',
  new: 'new',
  gone: 'gone',
};

const COLUMNS = declared<ComparedOp>('compare.ops', [
  {
    key: 'name',
    width: 300,
    value: (op) => [op.other?.name, op.baseline?.name].filter(Boolean).join(' '),
    cell: (op) => (
      <span class="op-name">
        <span
          class="swatch"
          style={{ background: classColor(op.class) }}
          data-tip={classTitle(op.class)}
        />
        <Middle text={sideOf(op)?.name ?? ''} isCode />
        <Show when={op.baseline && op.other && op.baseline.name !== op.other.name}>
          <span class="muted op-was" data-tip={`In the baseline: ${op.baseline?.name}`}>
            was {op.baseline?.name}
          </span>
        </Show>
      </span>
    ),
  },
  {
    key: 'matched',
    width: 104,
    value: (op) => MATCHED[op.matched] ?? op.matched,
  },
  {
    key: 'baseline_ps',
    width: 98,
    scale: 'time',
    value: (op) => (op.baseline ? op.time.baseline_ps : null),
  },
  {
    key: 'mean_ps',
    width: 98,
    scale: 'time',
    value: (op) => (op.other ? op.time.mean_ps : null),
  },
  {
    key: 'difference_ps',
    width: 116,
    scale: 'time',
    value: (op) => op.time.difference_ps,
    cell: (op, scale) => (
      <span
        class={`change is-text is-${toneOfOp(op)}`}
        data-tip={intervalTip(op)}
      >
        {op.time.difference_ps > 0 ? '+' : ''}
        {op.time.difference_ps === 0 ? '=' : scale.text(op.time.difference_ps)}
      </span>
    ),
  },
  {
    key: 'ratio',
    width: 88,
    value: (op) => op.time.ratio,
    cell: (op) => {
      const text = op.time.difference_ps === 0 ? '=' : relativeText(op.time.ratio);
      return text ? (
        <span class={`change is-text is-${toneOfOp(op)}`}>{text}</span>
      ) : (
        <span class="table-missing">–</span>
      );
    },
  },
  {
    key: 'step_difference_ps',
    width: 126,
    scale: 'time',
    value: (op) => op.step_difference_ps,
  },
  {
    key: 'evidence',
    width: 116,
    value: (op) => EVIDENCE[op.time.evidence],
  },
  {
    key: 'count',
    title: 'Per step',
    figure: 'compare.occurrences',
    width: 92,
    value: (op) => countText(op),
    cell: (op) => <span class="number">{countText(op)}</span>,
  },
  { key: 'change', width: 240, value: (op) => op.change, isOptional: true },
  { key: 'class', width: 130, value: (op) => classTitle(op.class), isOptional: true },
  {
    key: 'category',
    title: 'Category',
    width: 140,
    value: (op) => sideOf(op)?.category ?? '',
    isOptional: true,
  },
  {
    key: 'shape',
    title: 'Shape',
    width: 180,
    value: (op) => sideOf(op)?.shape ?? '',
    cell: (op) => <Middle text={sideOf(op)?.shape ?? ''} isCode />,
    isOptional: true,
  },
  {
    key: 'source',
    width: 160,
    value: (op) => sideOf(op)?.source ?? '',
    cell: (op) => <SourceText text={sideOf(op)?.source ?? ''} />,
    isOptional: true,
  },
  {
    key: 'scope',
    width: 260,
    value: (op) => sideOf(op)?.scope ?? '',
    isOptional: true,
  },
  {
    key: 'program',
    title: 'Program',
    width: 150,
    value: (op) => sideOf(op)?.program ?? '',
    isOptional: true,
  },
  {
    key: 'kernel',
    title: 'Kernel',
    width: 220,
    value: (op) => sideOf(op)?.kernel ?? '',
    isCode: true,
    cell: (op) => <Middle text={sideOf(op)?.kernel ?? ''} isCode />,
    isOptional: true,
  },
]);

const EVIDENCE = {
  beyond_noise: 'beyond noise',
  within_noise: 'noise',
  too_few_steps: 'too few steps',
} as const;

function countText(op: ComparedOp): string {
  const text = (side: ComparedOpSide | null) =>
    side === null ? '–' : String(Number(side.occurrences.toPrecision(3)));
  const [before, now] = [text(op.baseline), text(op.other)];
  return before === now ? now : `${before} → ${now}`;
}

function intervalTip(op: ComparedOp): string {
  const { low_ps, high_ps, p_value } = op.time;
  const range = `between ${signedText('duration', Math.round(low_ps))} and ${signedText('duration', Math.round(high_ps))}`;
  return p_value === null
    ? 'Too few steps to distinguish it from noise'
    : `${range} at the confidence above; noise alone differs this much in ${(p_value * 100).toPrecision(2)} % of cases`;
}

/** The ops of one difference, and their names in links. */
export interface OwnOps {
  ops: readonly ComparedOp[];
  keys: LinkKeys;
}

/** `of` is the position of the session that is compared with the baseline. */
export function ownOps(report: CompareReport, of: number): OwnOps {
  const ops = report.ops.filter((op) => op.session === of);
  const nameOf = (op: ComparedOp) =>
    [sideOf(op)?.name, op.baseline?.name, sideOf(op)?.program, sideOf(op)?.scope].join(' ');
  return { ops, keys: linkKeys(ops.map(nameOf)) };
}

export function Ops(props: {
  own: OwnOps;
  /** Position of the session that is compared with the baseline. */
  of: number;
  /** Keys of the sessions on the server, in the report's order. */
  ids: readonly string[];
  fileName: string;
}) {
  const table = urlTableState('');
  const kind = () => KINDS.find((each) => each.key === getParam('show')) ?? KINDS[0];
  const own = () => props.own.ops;
  const rows = createMemo(() => own().filter((op) => kind().has(op)));
  const shown = createMemo(() => own()[props.own.keys.indexOf(getParam('op'))]);
  const keyOf = (op: ComparedOp) => props.own.keys.at(own().indexOf(op));
  return (
    <section
      class="card compare-table"
      id="compare-ops"
      style={{ '--rows': String(Math.max(3, rows().length)) }}
    >
      <Show when={shown()}>
        {(op) => (
          <Details
            op={op()}
            ids={[props.ids[0] ?? '', props.ids[props.of] ?? '']}
            close={() => setParams({ op: null }, false)}
          />
        )}
      </Show>
      <DataTable
        rows={rows()}
        columns={COLUMNS}
        state={table}
        noun="op"
        fileName={props.fileName}
        isFilling
        onRow={(op) => setParams({ op: op === shown() ? null : keyOf(op) }, false)}
        isSelected={(op) => op === shown()}
        tools={
          <span class="segmented" role="group" aria-label="Which ops">
            <For each={KINDS}>
              {(each) => (
                <button
                  aria-pressed={kind() === each}
                  data-tip={each.tip}
                  onClick={() => setParams({ show: each.key === 'all' ? null : each.key }, false)}
                >
                  {each.title}{' '}
                  <span class="muted number">{own().filter((op) => each.has(op)).length}</span>
                </button>
              )}
            </For>
          </span>
        }
        empty={
          kind().key === 'all'
            ? 'No op ran in the selected steps of either session'
            : 'No such ops. Choose All to see every op.'
        }
      />
    </section>
  );
}

function Details(props: {
  op: ComparedOp;
  ids: readonly [baseline: string, session: string];
  close: () => void;
}) {
  const sides = () =>
    [
      { title: 'Baseline', side: props.op.baseline, session: props.ids[0], against: props.ids[1] },
      { title: 'Here', side: props.op.other, session: props.ids[1], against: props.ids[0] },
    ] as const;
  return (
    <div class="compare-op">
      <div class="compare-op-sides">
        <For each={sides()}>
          {(each) => (
            <div>
              <span class="muted">{each.title}</span>
              <Show when={each.side} fallback={<span class="muted">no such op</span>}>
                {(side) => (
                  <>
                    <strong class="mono">{side().name}</strong>
                    <span class="number">
                      {formatDuration(
                        Math.round(
                          each.title === 'Here'
                            ? props.op.time.mean_ps
                            : props.op.time.baseline_ps,
                        ),
                      )}
                    </span>
                    <span class="mono muted compare-op-shape" data-tip={side().shape}>
                      {side().shape}
                    </span>
                    <OpLinks
                      name={side().name}
                      programId={side().program_id}
                      session={each.session}
                      against={each.against}
                    />
                  </>
                )}
              </Show>
            </div>
          )}
        </For>
      </div>
      <Show when={props.op.change}>{(change) => <p class="muted">{change()}</p>}</Show>
      <button class="quiet" aria-label="Close" onClick={() => props.close()}>
        <Icon name="close" />
      </button>
    </div>
  );
}
