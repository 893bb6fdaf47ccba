/** Details of the current point of a chart, shown next to it. */
import { createSignal, onCleanup, onMount, type JSX } from 'solid-js';

import type { Frame } from './frame';
import { readoutPlace, type Place } from './points';

export function Readout(props: { frame: Frame; place: Place; children: JSX.Element }) {
  let box!: HTMLDivElement;
  const [size, setSize] = createSignal({ width: 0, height: 0 });
  onMount(() => {
    const observer = new ResizeObserver(() =>
      setSize({ width: box.offsetWidth, height: box.offsetHeight }),
    );
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  const at = () => {
    const { margin, width, height } = props.frame;
    const point = { x: props.place.x + margin.left, y: props.place.y + margin.top };
    const outer = {
      width: width + margin.left + margin.right,
      height: height + margin.top + margin.bottom,
    };
    return readoutPlace(point, size(), outer);
  };
  return (
    <div
      ref={box}
      class="chart-readout"
      role="status"
      style={{
        left: `${at().x}px`,
        top: `${at().y}px`,
        // It must not flash on the wrong side before it is measured.
        visibility: size().width > 0 ? 'visible' : 'hidden',
      }}
    >
      {props.children}
    </div>
  );
}

/** The title of a readout: the point and its main figure. */
export function ReadoutTitle(props: { title: JSX.Element; value?: JSX.Element }) {
  return (
    <p class="chart-readout-title">
      <span>{props.title}</span>
      <span class="number">{props.value}</span>
    </p>
  );
}

/** One figure of a readout's table. */
export function ReadoutRow(props: { title: JSX.Element; color?: string; children: JSX.Element }) {
  return (
    <tr>
      <td>
        {props.color && <span class="swatch" style={{ background: props.color }} />} {props.title}
      </td>
      {props.children}
    </tr>
  );
}
