/** Requests layouts from the worker; only the latest request is answered. */
import { onCleanup } from 'solid-js';

import type { LayoutInput, LayoutOutput } from './layout';

export interface Layouter {
  layOut: (input: LayoutInput, done: (output: LayoutOutput) => void) => void;
}

interface Done {
  id: number;
  output: LayoutOutput;
}

/** A worker that lives as long as the component. */
export function createLayouter(): Layouter {
  const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  let last = 0;
  let waiting: ((output: LayoutOutput) => void) | undefined;
  worker.addEventListener('message', (event: MessageEvent<Done>) => {
    if (event.data.id === last) waiting?.(event.data.output);
  });
  onCleanup(() => worker.terminate());
  return {
    layOut(input, done) {
      last += 1;
      waiting = done;
      worker.postMessage({ id: last, input });
    },
  };
}
