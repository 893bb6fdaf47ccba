/** The distribution of a column over the rows shown: a histogram and its figures. */
import { createMemo, For, Show } from 'solid-js';

import { format, formatCount, type Kind } from '../../format/numbers';
import { statisticsOf, textOf, type Statistics } from './statistics';
import type { Column } from './rows';

const [WIDTH, HEIGHT] = [264, 72];
const FIGURES = [
  ['min', 'Min'],
  ['median', 'Median'],
  ['mean', 'Mean'],
  ['p95', 'p95'],
  ['max', 'Max'],
] as const;

export function ColumnStatistics<Row>(props: {
  column: Column<Row>;
  rows: readonly Row[];
  /** Keeps the rows of one bin: from, to. */
  onRange: (from: number, to: number) => void;
}) {
  const kind = (): Kind => props.column.kind ?? 'count';
  const found = createMemo(() => statisticsOf(props.rows.map((row) => props.column.value(row))));
  return (
    <div class="table-statistics">
      <p class="table-panel-title">{props.column.title}</p>
      <Show when={found()} fallback={<p class="muted">No row has a figure.</p>}>
        {(statistics) => (
          <>
            <Histogram statistics={statistics()} kind={kind()} onRange={props.onRange} />
            <dl>
              <dt>Rows</dt>
              <dd class="number">{formatCount(statistics().count)}</dd>
              <Show when={props.column.adds && props.column.adds !== 'no'}>
                <dt>Sum</dt>
                <dd class="number">{format(kind(), statistics().sum)}</dd>
              </Show>
              <For each={FIGURES}>
                {([key, title]) => (
                  <>
                    <dt>{title}</dt>
                    <dd class="number">{textOf(kind(), statistics())(statistics()[key])}</dd>
                  </>
                )}
              </For>
            </dl>
          </>
        )}
      </Show>
    </div>
  );
}

function Histogram(props: {
  statistics: Statistics;
  kind: Kind;
  onRange: (from: number, to: number) => void;
}) {
  const most = () => Math.max(1, ...props.statistics.bins.map((bin) => bin.count));
  const width = () => WIDTH / props.statistics.bins.length;
  return (
    <>
      <svg
        class="table-histogram"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={`Histogram of ${formatCount(props.statistics.count)} figures`}
      >
        <For each={props.statistics.bins}>
          {(bin, index) => (
            <g
              data-tip={`${format(props.kind, bin.from)} to ${format(props.kind, bin.to)}: ${formatCount(bin.count)}`}
              onClick={() => bin.count > 0 && props.onRange(bin.from, bin.to)}
            >
              <rect class="is-back" x={index() * width()} width={width()} height={HEIGHT} />
              <rect
                x={index() * width() + 0.5}
                width={Math.max(1, width() - 1)}
                y={HEIGHT - (bin.count / most()) * HEIGHT}
                height={(bin.count / most()) * HEIGHT}
              />
            </g>
          )}
        </For>
      </svg>
      <p class="table-histogram-ends muted number">
        <span>{textOf(props.kind, props.statistics)(props.statistics.min)}</span>
        <span>{props.statistics.isLogarithmic ? 'logarithmic' : ''}</span>
        <span>{textOf(props.kind, props.statistics)(props.statistics.max)}</span>
      </p>
    </>
  );
}
