import { expect, test } from 'vitest';

import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { searchExamples } from './search-examples';

const timeline = (group: string, classes: string[]) => ({
  report: { groups: [{ name: group }] } as TimelineReport,
  scene: { labels: { seenClasses: new Set(classes) } },
});

test('examples are of what the session contains', () => {
  const queries = searchExamples(timeline('host-0 / TPU:0', ['host', 'matmul'])).map(({ query }) => query);
  expect(queries).toContain('kind:matmul');
  expect(queries).toContain('track:TPU:0');
});

test('each condition is one word, and every one has an example', () => {
  const examples = searchExamples(timeline('GPU:0', []));
  for (const key of ['dur>', 'kind:', 'track:', 'scope:', 'name:']) {
    expect(examples.some(({ query }) => query.startsWith(key))).toBe(true);
  }
  const words = examples.flatMap(({ query }) => query.split(' '));
  for (const word of words) expect(word).toMatch(/^(dur[<>]|(kind|track|scope|name):)\S+$/);
});
