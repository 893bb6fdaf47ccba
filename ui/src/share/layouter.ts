/** Lays out graphs on the main thread: a single file has no separate script for a worker. */
import { layOut } from '../views/graph/layout';
import type { Layouter } from '../views/graph/layouter';

export function createLayouter(): Layouter {
  let last = 0;
  return {
    layOut(input, done) {
      last += 1;
      const own = last;
      setTimeout(() => {
        if (own === last) done(layOut(input));
      });
    },
  };
}
