/** Steps from left to right, devices from top to bottom; the strength of the color is the value. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { truncateMiddle } from '../../format/text';
import { getParam, navigate, select, setParams } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import { timelineParams } from '../../timeline/link';
import { slotsAcross, slotsDown } from '../../widgets/chart/axis';
import { Plot } from '../../widgets/chart/plot';
import { slotIndex } from '../../widgets/chart/points';
import { ReadoutRow, ReadoutTitle } from '../../widgets/chart/readout';
import type { HostCell } from '../../wire/generated/HostCell';
import type { HostsReport } from '../../wire/generated/HostsReport';
import { cellAt, drawHeat, heatOf, METRICS, metricsOf, opacity, type Metric } from './heat';

const MOST_ROW_HEIGHT = 26;
const LEAST_ROW_HEIGHT = 3;
const MOST_HEIGHT = 420;
/** Maximum number of characters of a row's name. */
const MOST_NAME = 32;
/** Margins around the cells; the labels determine the left one. */
const MARGIN = { right: 0, top: 2, bottom: 22 };

export function HeatMap(props: { report: HostsReport }) {
  const [hovered, setHovered] = createSignal<number | null>(null);
  const metrics = createMemo(() => metricsOf(props.report.cells));
  const metric = createMemo(() => {
    const wanted = getParam('metric') as Metric | undefined;
    const hasLateness = metrics().some(({ key }) => key === 'lateness_ps');
    const usual: Metric = hasLateness ? 'lateness_ps' : 'duration_ps';
    return METRICS.find(({ key }) => key === (wanted ?? usual)) ?? METRICS[0];
  });
  const heat = createMemo(() =>
    heatOf(
      props.report.cells,
      props.report.steps.length,
      props.report.devices.length,
      metric().key,
    ),
  );
  /** The legend has the colors of the smallest and the largest value. */
  const gradient = () => ({
    '--most': metric().color,
    '--least': `${Math.round(100 * opacity(Math.max(0, heat().least), heat()))}%`,
  });
  const height = () => {
    const rows = Math.max(1, heat().placeCount);
    const row = Math.min(MOST_ROW_HEIGHT, Math.floor(MOST_HEIGHT / rows));
    return Math.max(LEAST_ROW_HEIGHT, row) * rows + MARGIN.top + MARGIN.bottom;
  };
  const titles = createMemo(() =>
    props.report.devices.map((row) => `${row.host}${row.device ? `/${row.device}` : ''}`),
  );
  const placeOf = (index: number) => Math.floor(index / Math.max(1, heat().stepCount));
  const stepOf = (index: number) => index % Math.max(1, heat().stepCount);
  const open = (index: number) => {
    const cell = heat().cells[index];
    if (!cell) return;
    const place = titles()[placeOf(index)] ?? '';
    navigate({
      view: 'timeline',
      params: timelineParams(cell.start_ps, cell.duration_ps, { place, isIdle: true }),
    });
  };
  return (
    <section class="card">
      <header>
        <h2>Steps × devices</h2>
        <span class="heat-scale muted number">
          {formatDuration(Math.max(0, heat().least))}
          <span class="heat-gradient" role="img" aria-label="to" style={gradient()} />
          {formatDuration(Math.max(0, heat().most))}
        </span>
        <span class="spacer" />
        <div class="segmented">
          <For each={metrics()}>
            {({ key, title: text }) => (
              <button
                aria-pressed={metric().key === key}
                data-figure={key === 'lateness_ps' ? 'hosts.rows.lateness_ps' : undefined}
                onClick={() => setParams({ metric: key }, false)}
              >
                {text}
              </button>
            )}
          </For>
        </div>
      </header>
      <div class="card-body">
        <Plot
          class="heat-map"
          label={`${metric().title} of ${heat().stepCount} steps on ${heat().placeCount} devices`}
          height={height()}
          margin={MARGIN}
          x={slotsAcross(
            'Step',
            props.report.steps.map(({ step }) => String(step)),
          )}
          y={slotsDown(titles().map((title) => truncateMiddle(title, MOST_NAME)))}
          rows={Array.from({ length: heat().placeCount }, () => heat().stepCount)}
          hit={({ x, y }, frame) => cellAt(x, y, frame.width, frame.height, heat())}
          placeOf={(index, frame) => ({
            x: frame.x(stepOf(index) + 1),
            y: frame.y(heat().placeCount - placeOf(index) - 0.5),
          })}
          at={hovered()}
          onAt={setHovered}
          onOpen={open}
          onDrag={(from, to, frame) => {
            const ends = [from.x, to.x].map((x) => slotIndex(heat().stepCount, clampTo(x, frame.width), frame.width));
            const numbers = ends.map((end) => props.report.steps[end ?? 0]?.step ?? 0);
            const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
            select('steps', first === last ? String(first) : `${first}..=${last}`);
          }}
          data={() => ({
            columns: ['step', 'place', metric().key],
            rows: props.report.cells.map((cell) => [
              props.report.steps[cell.step]?.step ?? null,
              titles()[cell.place] ?? '',
              cell[metric().key],
            ]),
          })}
          draw={(context, frame) => drawHeat(context, frame, heat(), metric(), themeColor('line'))}
          readout={(index) => (
            <CellDetails
              report={props.report}
              cell={heat().cells[index]}
              step={stepOf(index)}
              name={titles()[placeOf(index)] ?? ''}
            />
          )}
        >
          {(frame) => (
            <Show when={hovered() !== null}>
              <rect
                class="heat-hovered"
                x={frame().x(stepOf(hovered() ?? 0)) + 0.5}
                y={frame().y(heat().placeCount - placeOf(hovered() ?? 0)) + 0.5}
                width={Math.max(1, frame().x(1) - 1)}
                height={Math.max(1, frame().height / heat().placeCount - 1)}
              />
            </Show>
          )}
        </Plot>
      </div>
    </section>
  );
}

const clampTo = (x: number, width: number) => Math.max(0, Math.min(width - 1, x));

function CellDetails(props: {
  report: HostsReport;
  cell: HostCell | undefined;
  /** Its position among the steps. */
  step: number;
  name: string;
}) {
  const step = () => props.report.steps[props.step];
  return (
    <>
      <ReadoutTitle title={props.name} value={<span class="muted">step {step()?.step}</span>} />
      <Show when={props.cell} fallback={<p class="muted">Took no part in this step</p>}>
        {(found) => (
          <table>
            <tbody>
              <For each={METRICS.filter(({ key }) => (found()[key] ?? 0) !== 0)}>
                {(metric) => (
                  <ReadoutRow title={metric.title} color={metric.color}>
                    <td class="number">{formatDuration(found()[metric.key] ?? 0)}</td>
                  </ReadoutRow>
                )}
              </For>
            </tbody>
          </table>
        )}
      </Show>
      <Show when={step()?.last_host}>
        <p class="muted">
          Last: {step()?.last_host}/{step()?.last_device}
          <Show when={step()?.activity}>, in {step()?.activity}</Show>
        </p>
      </Show>
    </>
  );
}
