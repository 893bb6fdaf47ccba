/** A roof of the roofline: the slope of a memory up to the ridge, then the peak of compute. */
import { Show } from 'solid-js';

import { format } from '../../format/numbers';
import type { Frame } from '../../widgets/chart/frame';
import { linePath } from '../../widgets/chart/paths';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { Ceiling } from './ceilings';
import type { NamePlace } from './names';
import { roofOf, type Decades } from './scale';

/** The name of a memory's roof. */
export const roofName = (title: string, bytes: number) => `${title} ${format('bandwidth', bytes)}`;

/** The name of a peak of compute. */
export const flatName = (title: string, perSecond: number | null) =>
  `${title} ${format('flop_rate', perSecond)}`;

/** Where the base of a flat line's name is: a lower line than the stated peak has it below. */
export const flatNameY = (y: number, isLower: boolean) => y + (isLower ? 14 : -5);

/** The line of a memory's roof, in pixels. */
export const roofLine = (axis: Decades, frame: Frame, bytes: number, flops: number | null) =>
  roofOf(axis, bytes, flops).map(([x, y]) => ({ x: frame.x(x), y: frame.y(y) }));

/** The peak of a type: what the slope of the main memory lacks up to it, then flat. */
export function CeilingLine(props: {
  ceiling: Ceiling;
  /** Bytes per second of the main memory. */
  bytes: number | null;
  /** The stated peak, at which its slope ends. */
  flops: number | null;
  axis: Decades;
  frame: Frame;
  /** Pixels of its name from the right edge. */
  fromRight: number;
}) {
  const nameY = () =>
    flatNameY(props.frame.y(props.ceiling.perSecond), props.ceiling.perSecond < (props.flops ?? 0));
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
      <text class="halo" x={props.frame.width - props.fromRight} y={nameY()} text-anchor="end">
        {flatName(props.ceiling.title, props.ceiling.perSecond)}
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
  place: NamePlace;
  /** Pixels of the name of the peak of compute from the right edge. */
  fromRight: number;
}) {
  const bytes = () => props.peak.per_second ?? 1;
  const line = () => linePath(roofLine(props.axis, props.frame, bytes(), props.flops));
  const ridge = () => props.peak.ridge_intensity;
  const isNearRight = () => props.frame.x(ridge() ?? 1) > 0.85 * props.frame.width;
  return (
    <g class="roofline-roof" classList={{ 'is-main': props.isMain }}>
      <path d={line()} />
      <text
        class="halo"
        text-anchor="end"
        transform={`translate(${props.place.x} ${props.place.y}) rotate(${props.place.angle})`}
      >
        {roofName(props.title, bytes())}
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
        <text
          class="halo"
          x={props.frame.width - props.fromRight}
          y={flatNameY(props.frame.y(props.flops ?? 1), false)}
          text-anchor="end"
        >
          {flatName('compute', props.flops)}
        </text>
      </Show>
    </g>
  );
}
