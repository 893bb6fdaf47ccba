/** Computes layouts off the main thread. */
import { layOut, type LayoutInput } from './layout';

interface Job {
  id: number;
  input: LayoutInput;
}

addEventListener('message', (event: MessageEvent<Job>) => {
  const { id, input } = event.data;
  postMessage({ id, output: layOut(input) });
});
