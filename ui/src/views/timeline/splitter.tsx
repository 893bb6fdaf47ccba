/** A line between two parts of the page that is moved by dragging and by arrow keys. */

/** How far an arrow key moves it. */
const STEP_PX = 16;

/** Where to the part that it sizes grows. */
type Growth = 'right' | 'left' | 'up';

interface SplitterProps {
  class: string;
  /** What it changes, for screen readers. */
  label: string;
  size: number;
  least: number;
  most: number;
  grows: Growth;
  onSize: (size: number) => void;
}

/** The keys that make the part larger and smaller. */
const KEYS: Record<Growth, [larger: string, smaller: string]> = {
  right: ['ArrowRight', 'ArrowLeft'],
  left: ['ArrowLeft', 'ArrowRight'],
  up: ['ArrowUp', 'ArrowDown'],
};

export function Splitter(props: SplitterProps) {
  const resize = (size: number) =>
    props.onSize(Math.round(Math.min(props.most, Math.max(props.least, size))));
  const position = (event: PointerEvent) => {
    if (props.grows === 'up') return -event.clientY;
    return props.grows === 'right' ? event.clientX : -event.clientX;
  };
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const began = props.size - position(event);
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => resize(began + position(move));
    handle.onpointerup = () => (handle.onpointermove = null);
  };
  const sizeAfter = (key: string): number | null => {
    const [larger, smaller] = KEYS[props.grows];
    if (key === larger) return props.size + STEP_PX;
    if (key === smaller) return props.size - STEP_PX;
    if (key === 'Home') return props.least;
    return key === 'End' ? props.most : null;
  };
  const press = (event: KeyboardEvent) => {
    const size = sizeAfter(event.key);
    if (size === null) return;
    // The arrows are keys of the timeline, too.
    event.preventDefault();
    event.stopPropagation();
    resize(size);
  };
  return (
    <div
      class={props.class}
      role="separator"
      tabindex="0"
      aria-label={props.label}
      aria-orientation={props.grows === 'up' ? 'horizontal' : 'vertical'}
      aria-valuenow={props.size}
      aria-valuemin={props.least}
      aria-valuemax={Math.round(props.most)}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
