/** A roof of the roofline: the slope of a memory up to the ridge, then the peak of compute. */
import { Show } from 'solid-js';

import { format } from '../../format/numbers';
import type { Frame } from '../../widgets/chart/frame';
import { linePath } from '../../widgets/chart/paths';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { Ceiling } from './ceilings';
import { roofOf, type Decades } from './scale';

/** Pixels of a character of a roof's name. */
const NAME_WIDTH = 7;

/** The peak of a type: what the slope of the main memory lacks up to it, then flat. */
export function CeilingLine(props: {
  ceiling: Ceiling;
  /** Bytes per second of the main memory. */
  bytes: number | null;
  /** The stated peak, at which its slope ends. */
  flops: number | null;
  axis: Decades;
  frame: Frame;
}) {
  const y = () => props.frame.y(props.ceiling.perSecond);
  /** Away from the line of the stated peak. */
  const beside = () => (props.ceiling.perSecond > (props.flops ?? 0) ? -5 : 14);
  const line = () => {
    const { axis, bytes, ceiling, flops } = props;
    const roof = roofOf(axis, bytes ?? Infinity, ceiling.perSecond);
    const least = Math.min(flops ?? 0, ceiling.perSecond) * (1 - 1e-6);
    const rest = roof.filter(([x]) => bytes === null || x * bytes >= least);
    const start: [number, number][] =
      bytes !== null && flops !== null && flops < ceiling.perSecond ? [[flops / bytes, flops]] : [];
    return linePath(
      [...start, ...rest].map(([x, rate]) => ({ x: props.frame.x(x), y: props.frame.y(rate) })),
    );
  };
  return (
    <g class="roofline-roof">
      <path d={line()} />
      <text class="halo" x={props.frame.width - 6} y={y() + beside()} text-anchor="end">
        {props.ceiling.title} {format('flop_rate', props.ceiling.perSecond)}
      </text>
    </g>
  );
}

export function Roof(props: {
  peak: RooflinePeak;
  title: string;
  flops: number | null;
  axis: Decades;
  frame: Frame;
  isMain: boolean;
  /** Its number among the roofs. */
  position: number;
}) {
  const bytes = () => props.peak.per_second ?? 1;
  const line = () =>
    linePath(
      roofOf(props.axis, bytes(), props.flops).map(([x, y]) => ({
        x: props.frame.x(x),
        y: props.frame.y(y),
      })),
    );
  const ridge = () => props.peak.ridge_intensity;
  const name = () => `${props.title} ${format('bandwidth', bytes())}`;
  /** Where the name ends on the slope, at a different height for each roof. */
  const label = () => {
    const to = Math.min(ridge() ?? props.axis.to, props.axis.to);
    const wanted = props.frame.x(to) * (0.8 - 0.22 * props.position);
    // Where the slope is short, the name starts at the axis.
    const x = Math.max(wanted, 6 + name().length * NAME_WIDTH);
    const y = Math.min(props.frame.atX(x) * bytes(), props.flops ?? Infinity);
    return { x, y: props.frame.y(y) };
  };
  const isNearRight = () => props.frame.x(ridge() ?? 1) > 0.85 * props.frame.width;
  return (
    <g class="roofline-roof" classList={{ 'is-main': props.isMain }}>
      <path d={line()} />
      <text class="halo" x={label().x} y={label().y - 8} text-anchor="end">
        {name()}
      </text>
      <Show when={props.isMain && ridge() !== null && props.flops !== null}>
        <line
          class="roofline-ridge"
          x1={props.frame.x(ridge() ?? 1)}
          x2={props.frame.x(ridge() ?? 1)}
          y1={props.frame.y(props.flops ?? 1)}
          y2={props.frame.height}
        />
        {/* Above the axis, where there are no points: those of busy programs are close to the ridge. */}
        <text
          class="halo"
          x={props.frame.x(ridge() ?? 1) + (isNearRight() ? -5 : 5)}
          y={props.frame.height - 6}
          text-anchor={isNearRight() ? 'end' : 'start'}
        >
          ridge {(ridge() ?? 0).toPrecision(3)} FLOP/B
        </text>
        <text x={props.frame.width - 6} y={props.frame.y(props.flops ?? 1) - 5} text-anchor="end">
          compute {format('flop_rate', props.flops)}
        </text>
      </Show>
    </g>
  );
}
