/** The size of an element, as it changes. */
import { createSignal, onCleanup, onMount, type Accessor } from 'solid-js';

import type { Size } from './points';

export function createSize(element: () => HTMLElement): Accessor<Size> {
  const [size, setSize] = createSignal<Size>(
    { width: 0, height: 0 },
    { equals: (one, other) => one.width === other.width && one.height === other.height },
  );
  onMount(() => {
    const measure = () => setSize({ width: element().clientWidth, height: element().clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element());
    onCleanup(() => observer.disconnect());
  });
  return size;
}
