/** A key figure with its verdict; the word and the sign say it as well as the colour. */
import { Show, type JSX } from 'solid-js';

import type { VerdictKind } from '../wire/generated/VerdictKind';
import './kpi.css';

const SIGNS: Record<VerdictKind, string> = { good: '✓', warning: '!', bad: '✕', unknown: '?' };
const WORDS: Record<VerdictKind, string> = {
  good: 'good',
  warning: 'warning',
  bad: 'bad',
  unknown: 'unknown',
};

export interface KpiCardProps {
  title: string;
  value: string;
  verdict?: VerdictKind;
  /** One line below the figure. */
  detail?: JSX.Element;
  /** Shown on hover: how it was obtained, what is missing. */
  tip?: string | undefined;
  figure?: string | undefined;
}

export function KpiCard(props: KpiCardProps) {
  const [number, unit] = [
    () => props.value.split('\u202f')[0] ?? '',
    () => props.value.split('\u202f')[1] ?? '',
  ];
  return (
    <div
      class="kpi card"
      data-tip={props.tip}
      data-figure={props.tip ? undefined : props.figure}
      tabindex="0"
    >
      <div class="kpi-title">{props.title}</div>
      <div class="kpi-line">
        <span class="kpi-value number">
          {number()}
          <Show when={unit()}>
            <span class="kpi-unit">{unit()}</span>
          </Show>
        </span>
        <Show when={props.verdict}>
          {(verdict) => (
            <span class={`verdict is-${verdict()}`}>
              <span class="verdict-sign" aria-hidden="true">
                {SIGNS[verdict()]}
              </span>
              {WORDS[verdict()]}
            </span>
          )}
        </Show>
      </div>
      <div class="kpi-detail">{props.detail}</div>
    </div>
  );
}
