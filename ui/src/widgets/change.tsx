/** A change from the baseline; sign and words convey the same as the color. */
import { Show } from 'solid-js';

import {
  changeTip,
  differenceText,
  relativeText,
  signedText,
  strengthOf,
  type Change,
} from '../compare/change';
import type { Kind, Scale } from '../format/numbers';
import { themeColor } from '../shell/theme';
import './change.css';

/** The color of a change in trees and icicles, and its strength: full at double or half. */
export function changeColor(change: Change | null): { color: string; strength: number } {
  const strength = strengthOf(change);
  if (strength === 0) return { color: themeColor('text-faint'), strength: 0.3 };
  const color = themeColor(strength > 0 ? 'change-worse' : 'change-better');
  return { color, strength: 0.25 + 0.6 * Math.abs(strength) };
}

/** What the colors of an icicle mean. */
export function ChangeLegend() {
  return (
    <span class="muted change-legend" data-tip="Self time compared with the baseline; gray is noise">
      half <span class="change-gradient" /> twice the baseline
    </span>
  );
}

/** Below a figure in a table, in the unit of its column. */
export function CellChange(props: {
  change: Change | null;
  kind: Kind;
  scale: Scale;
  scaledBy: number;
}) {
  return (
    <Show when={props.change} fallback={<span class="change is-none" />}>
      {(change) => (
        <span
          class={`change is-${change().tone}`}
          data-tip={changeTip(change(), props.kind, props.scaledBy)}
        >
          <span>{differenceText(change(), props.scale)}</span>
          {/* That all of it is gone, the figure above says. */}
          <Show when={change().tone !== 'same' && change().ratio !== null && change().ratio !== -1}>
            <span class="change-ratio">{relativeText(change().ratio)}</span>
          </Show>
        </span>
      )}
    </Show>
  );
}

/** In running text and cards, with its own unit. */
export function TextChange(props: {
  change: Change;
  kind: Kind;
  /** Show only the ratio if there is one. */
  isShort?: boolean;
}) {
  const text = () => {
    const { tone, difference, ratio } = props.change;
    if (tone === 'same') return 'no change';
    if (ratio === null) return signedText(props.kind, difference);
    return props.isShort
      ? relativeText(ratio)
      : `${signedText(props.kind, difference)} (${relativeText(ratio)})`;
  };
  return (
    <span
      class={`change is-text is-${props.change.tone}`}
      data-tip={changeTip(props.change, props.kind)}
    >
      {text()}
    </span>
  );
}
