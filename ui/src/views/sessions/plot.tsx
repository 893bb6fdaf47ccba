/** A figure of the listed sessions over the time of their capture; a click opens a session. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { format, formatDate, plural } from '../../format/numbers';
import { entryView } from '../../shell/session';
import { getParam, hrefTo, navigate, setParams } from '../../shell/state';
import { Legend } from '../../widgets/bars';
import { dateAcross, figureAxis } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { Plot } from '../../widgets/chart/plot';
import { closest } from '../../widgets/chart/points';
import { rangeOf, withRoom } from '../../widgets/chart/scale';
import { colorsOf, seriesColor, seriesLegend } from '../../widgets/chart/series';
import { OneOnly } from '../../widgets/one-only';
import type { SessionSummary } from '../../wire/types';
import { FIGURES, pointsOf, type SessionPoint } from './over-time';

/** The figure that is plotted; without it, there is no plot. */
export const PLOT_PARAM = 'plot';

const HEIGHT = 220;
/** Pixels around a point that belong to it. */
const REACH = 16;

export function SessionsPlot(props: { sessions: readonly SessionSummary[] }) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const figure = () => FIGURES.find(({ key }) => key === getParam(PLOT_PARAM)) ?? FIGURES[0]!;
  const found = createMemo(() => pointsOf(props.sessions, figure(), getParam('group')));
  const points = () => found().points;
  const colors = createMemo(() => colorsOf(found().series));
  const colorOf = (series: number) => colors()[series] ?? seriesColor(series);
  const times = createMemo(() => rangeOf(points().map(({ atMs }) => atMs)) ?? { from: 0, to: 1 });
  const values = createMemo(() => {
    const own = rangeOf(points().map(({ value }) => value)) ?? { from: 0, to: 1 };
    const room = withRoom(own, 0.06);
    // Figures are compared with zero if they are not far from it.
    return own.from >= 0 && own.from < own.to / 2 ? { from: 0, to: room.to } : room;
  });
  const placeOf = (point: SessionPoint | undefined, frame: Frame) => ({
    x: frame.x(point?.atMs ?? 0),
    y: frame.y(point?.value ?? 0),
  });
  const open = (index: number) => {
    const session = points()[index]?.session;
    if (session) navigate({ session: session.key, view: entryView(session) });
  };
  return (
    <section class="card sessions-plot" aria-label="Sessions over time">
      <div class="sessions-plot-head">
        <label>
          Plot{' '}
          <select onChange={(event) => setParams({ [PLOT_PARAM]: event.currentTarget.value }, false)}>
            <For each={FIGURES}>
              {({ key, title }) => (
                <option value={key} selected={key === figure().key}>
                  {title}
                </option>
              )}
            </For>
          </select>
        </label>
        <Show when={found().series.length > 0}>
          <Legend entries={seriesLegend(found().series)} />
        </Show>
        <span class="spacer" />
        <Show when={found().leftOut > 0}>
          <span class="muted">
            {plural(found().leftOut, 'session')} without {figure().title}
          </span>
        </Show>
        <button class="quiet" onClick={() => setParams({ [PLOT_PARAM]: null }, false)}>
          Close
        </button>
      </div>
      <Show
        when={points().length > 1}
        fallback={<TooFew point={points()[0]} title={figure().title} />}
      >
        <Plot
          label={`${figure().title} of sessions over time`}
          height={HEIGHT}
          x={dateAcross(times().from, times().to)}
          y={figureAxis('', figure().kind, values().from, values().to)}
          rows={[points().length]}
          hit={(place, frame) =>
            closest(
              points().map((point) => placeOf(point, frame)),
              place,
              REACH,
            )
          }
          placeOf={(index, frame) => placeOf(points()[index], frame)}
          at={pointed()}
          onAt={setPointed}
          onOpen={open}
          readout={(index) => <PointReadout point={points()[index]} series={found().series} />}
          data={() => ({
            columns: ['session', 'time', 'group', figure().key],
            rows: points().map(({ session, atMs, value, series }) => [
              session.name,
              formatDate(atMs),
              found().series[series] ?? '',
              value,
            ]),
          })}
          draw={(context, frame) => {
            context.globalAlpha = 0.75;
            for (const point of points()) {
              const { x, y } = placeOf(point, frame);
              context.fillStyle = colorOf(point.series);
              context.beginPath();
              context.arc(x, y, 3, 0, 2 * Math.PI);
              context.fill();
            }
          }}
        >
          {(frame) => (
            <Show when={points()[pointed() ?? -1]}>
              {(point) => (
                <circle
                  class="sessions-plot-at"
                  cx={placeOf(point(), frame()).x}
                  cy={placeOf(point(), frame()).y}
                  r="5"
                  fill={colorOf(point().series)}
                />
              )}
            </Show>
          )}
        </Plot>
      </Show>
    </section>
  );
}

/** A single point is no plot. */
function TooFew(props: { point: SessionPoint | undefined; title: string }) {
  return (
    <Show
      when={props.point}
      fallback={<p class="muted">{props.title} is not known for any of the sessions listed.</p>}
    >
      {(point) => (
        <OneOnly
          text={`${props.title} is known for one of the sessions listed, ${point().session.name}, so there is nothing to compare it with.`}
          actions={
            <a
              class="button"
              href={hrefTo({ session: point().session.key, view: entryView(point().session) })}
            >
              Open it
            </a>
          }
        />
      )}
    </Show>
  );
}

function PointReadout(props: { point: SessionPoint | undefined; series: readonly string[] }) {
  const figure = () => FIGURES.find(({ key }) => key === getParam(PLOT_PARAM)) ?? FIGURES[0]!;
  return (
    <Show when={props.point}>
      {(point) => (
        <>
          <p>
            <strong>{format(figure().kind, point().value)}</strong> {point().session.name}
          </p>
          <p class="muted">
            {[
              formatDate(point().atMs),
              props.series[point().series],
              point().session.git_commit?.slice(0, 10),
              point().session.tags.join(', '),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </>
      )}
    </Show>
  );
}
