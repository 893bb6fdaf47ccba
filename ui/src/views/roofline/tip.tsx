/** What a point of the roofline is. */
import { Show } from 'solid-js';

import { format, formatDuration, formatRatio } from '../../format/numbers';
import { ReadoutRow } from '../../widgets/chart/readout';
import type { RooflineRow } from '../../wire/generated/RooflineRow';

/** FLOP per byte of the chosen memory. */
export function intensityOf(row: RooflineRow, level: string): number | null {
  if (level === 'all') return row.intensity;
  return row.levels.find((found) => found.level === level)?.intensity ?? null;
}

export function Tip(props: { row: RooflineRow | undefined; level: string }) {
  return (
    <Show when={props.row}>
      {(row) => (
        <>
          <p class="mono">
            <strong>{row().name}</strong>
          </p>
          <p class="muted">{row().category || row().kind}</p>
          <table>
            <tbody>
              <ReadoutRow title={row().kind === 'op' ? 'Self' : 'Time'}>
                <td class="number">
                  {formatDuration(row().kind === 'op' ? row().self_ps : row().total_ps)}
                </td>
              </ReadoutRow>
              <ReadoutRow title="Rate">
                <td class="number">
                  {format('flop_rate', row().flop_rate)}
                  {row().compute_ratio === null
                    ? ''
                    : ` (${formatRatio(row().compute_ratio)} of peak)`}
                </td>
              </ReadoutRow>
              <ReadoutRow title="Intensity">
                <td class="number">
                  {(intensityOf(row(), props.level) ?? 0).toPrecision(3)} FLOP/B
                </td>
              </ReadoutRow>
              <Show when={row().bound_by}>
                <ReadoutRow title="Bound by">
                  <td class="number">
                    {row().bound_by}, {formatRatio(row().roofline_ratio)} of peak
                  </td>
                </ReadoutRow>
              </Show>
            </tbody>
          </table>
        </>
      )}
    </Show>
  );
}
