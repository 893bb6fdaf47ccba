/** Searches to try, made of what the session contains. Pure. */
import { escapeRegex } from '../../format/text';
import type { Timeline } from '../../timeline/timeline';

export interface SearchExample {
  query: string;
  meaning: string;
}

/** One search per condition; words are separated by spaces, so none may contain one. */
export function searchExamples({
  report,
  scene,
}: Pick<Timeline, 'report'> & {
  scene: { labels: { seenClasses: ReadonlySet<string> } };
}): SearchExample[] {
  const group = report.groups[0]?.name.split(' ').at(-1) ?? '';
  const [kind = 'collective'] = ['collective', 'matmul', ...scene.labels.seenClasses].filter((name) =>
    scene.labels.seenClasses.has(name),
  );
  return [
    { query: 'dur>1ms', meaning: 'longer than 1 ms; also dur<20us and dur>=5ms' },
    { query: `kind:${kind}`, meaning: 'of a kind or class: op, kernel, transfer, host, matmul, …' },
    { query: `track:${escapeRegex(group)}`, meaning: 'on tracks of this name' },
    { query: 'scope:layer', meaning: 'whose scope matches' },
    { query: 'name:fusion', meaning: 'whose own name matches, whatever their op and scope say' },
    { query: `dur>100us kind:${kind}`, meaning: 'several at once, and a text if you like' },
  ];
}
