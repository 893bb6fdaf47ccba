/** A key figure with its verdict, which a sign and a word convey as well as the color. */
import { Show, type JSX } from 'solid-js';

import { betterOf, changeOf, type Better, type Measured } from '../compare/change';
import { format, type Kind } from '../format/numbers';
import type { VerdictKind } from '../wire/generated/VerdictKind';
import { useAgainst } from './against';
import { TextChange } from './change';
import { copyText } from './copy';
import { declaredOf } from './figures';
import { contextMenu } from './menu/menu';
import './kpi.css';

const SIGNS: Record<VerdictKind, string> = {
  good: '✓',
  warning: '!',
  bad: '✕',
  unknown: '?',
  neutral: '–',
};
const WORDS: Record<VerdictKind, string> = {
  good: 'good',
  warning: 'warning',
  bad: 'bad',
  unknown: 'unknown',
  neutral: 'not judged',
};

/** How a key figure is compared with the baseline's. */
export interface FigureComparison {
  report: unknown;
  of: (report: never) => number | null | undefined;
  kind: Kind;
  better: Better;
  /** Whether the comparison found that noise explains the difference. */
  isNoise?: boolean;
}

/**
 * Creates one with the type of the report checked; the same function reads both reports. Unit and
 * better direction are those declared for the figure; `rule` overrides them.
 */
export function compareFigure<Report>(
  report: Report,
  of: (report: Report) => number | null | undefined,
  figure: string,
  rule: Partial<Pick<FigureComparison, 'kind' | 'better' | 'isNoise'>> = {},
): FigureComparison {
  const declared: Omit<Measured, 'key'> = declaredOf(figure) ?? {};
  return {
    report,
    of: of as (report: never) => number | null,
    kind: declared.kind ?? 'count',
    better: betterOf({ key: figure, ...declared }),
    ...rule,
  };
}

export interface KpiCardProps {
  /** By default, the title of the figure. */
  title?: string;
  value: string;
  verdict?: VerdictKind;
  /** One line below the figure. */
  detail?: JSX.Element;
  /** Shown on hover: how it was obtained, what is missing. */
  tip?: string | undefined;
  figure?: string | undefined;
  compare?: FigureComparison | undefined;
  /** For figures that stand below a headline. */
  isSmall?: boolean;
}

/** A verdict as a sign and a word. */
export function VerdictSign(props: { verdict: VerdictKind }) {
  return (
    <span class={`verdict is-${props.verdict}`}>
      <span class="verdict-sign" aria-hidden="true">
        {SIGNS[props.verdict]}
      </span>
      {WORDS[props.verdict]}
    </span>
  );
}

export function KpiCard(props: KpiCardProps) {
  const [number, unit] = [
    () => props.value.split('\u202f')[0] ?? '',
    () => props.value.split('\u202f')[1] ?? '',
  ];
  return (
    <div
      class="kpi card"
      classList={{ 'is-small': props.isSmall ?? false }}
      data-tip={props.tip}
      data-figure={props.tip ? undefined : props.figure}
      tabindex="0"
      onContextMenu={contextMenu(() => [
        { title: 'Copy the value', detail: props.value, run: () => void copyText(props.value) },
        ...(props.tip
          ? [{ title: 'Copy the explanation', run: () => void copyText(props.tip ?? '') }]
          : []),
      ])}
    >
      <div class="kpi-title">{props.title ?? declaredOf(props.figure ?? '')?.title}</div>
      <div class="kpi-line">
        <span class="kpi-value number">
          {number()}
          <Show when={unit()}>
            <span class="kpi-unit">{unit()}</span>
          </Show>
        </span>
        <Show when={props.verdict}>{(verdict) => <VerdictSign verdict={verdict()} />}</Show>
      </div>
      <Show when={!props.isSmall || props.detail}>
        <div class="kpi-detail">{props.detail}</div>
      </Show>
      <Show when={props.compare}>{(compare) => <Before {...compare()} />}</Show>
    </div>
  );
}

/** The change of a figure in a table that is not a `DataTable`; nothing without a baseline. */
export function FigureChange(props: { compare: FigureComparison }) {
  const against = useAgainst<never>();
  const change = () => {
    const report = against();
    const { of, report: own } = props.compare;
    return report === undefined ? null : changeOf(of(own as never), of(report), props.compare);
  };
  return (
    <Show when={change()}>
      {(found) => (
        <span class="figure-change">
          <TextChange change={found()} kind={props.compare.kind} isShort />
        </span>
      )}
    </Show>
  );
}

/** The baseline's figure and the change from it; nothing without a baseline. */
function Before(props: FigureComparison) {
  const against = useAgainst<never>();
  const before = () => {
    const report = against();
    return report === undefined ? undefined : (props.of(report) ?? null);
  };
  const change = () => changeOf(props.of(props.report as never), before(), props);
  return (
    <Show when={before() !== undefined}>
      <div class="kpi-before">
        <Show when={change()} fallback={<span class="muted">not in the baseline</span>}>
          {(found) => <TextChange change={found()} kind={props.kind} isShort />}
        </Show>
        <Show when={before() !== null}>
          <span class="muted"> from {format(props.kind, rounded(before() ?? 0, props.kind))}</span>
        </Show>
      </div>
    </Show>
  );
}

/** Drops the meaningless fractions of mean times and bytes. */
function rounded(value: number, kind: Kind): number {
  return kind === 'duration' || kind === 'bytes' ? Math.round(value) : value;
}
