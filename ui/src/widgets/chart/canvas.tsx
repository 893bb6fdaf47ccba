/** Marks of a plot that are too numerous for elements, drawn in the coordinates of the plot. */
import { createEffect } from 'solid-js';

import type { Frame } from './frame';

export type Draw = (context: CanvasRenderingContext2D, frame: Frame) => void;

export function Canvas(props: { frame: Frame; draw: Draw }) {
  let canvas!: HTMLCanvasElement;
  createEffect(() => {
    const { frame } = props;
    const context = canvas.getContext('2d');
    if (!context) return;
    const { margin } = frame;
    const [width, height] = [
      frame.width + margin.left + margin.right,
      frame.height + margin.top + margin.bottom,
    ];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, margin.left * ratio, margin.top * ratio);
    props.draw(context, frame);
  });
  return <canvas ref={canvas} aria-hidden="true" />;
}
