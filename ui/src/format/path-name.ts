/**
 * Names that are paths, such as scopes and ops of TensorFlow, as short as the others allow. What most of
 * them begin with says nothing about any of them, and pushes what does out of sight:
 *
 *     StatefulPartitionedCall/model/encoder/layer_4/attention/dropout/Cast
 *     …/layer_4/attention/dropout/Cast
 *
 * Pure.
 */

const PATH = /^[^\s/]+(?:\/[^\s/]+){2,}$/;
/** Parts that a short form keeps: a lone `Cast` could be anywhere. */
const PARTS_KEPT = 2;
/** Less is not worth an ellipsis. */
const LEAST_REMOVED = 5;
/** How many paths say what most have in common. */
const SAMPLE = 2000;

/** Whether a name is a path of several parts. */
export const isPathName = (name: string): boolean => PATH.test(name) && !name.includes('::');

/** The short form of each path that has one; no two have the same. */
export function shortPaths(names: Iterable<string>): Map<string, string> {
  const paths = [...new Set(names)].filter(isPathName);
  const shared = sharedStart(paths);
  const short = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const path of paths) {
    const removed = removable(path, shared);
    if (removed < LEAST_REMOVED) continue;
    const text = `…/${path.slice(removed)}`;
    const other = owners.get(text);
    // Two paths that would look the same stay as they are.
    if (other === undefined) short.set(path, text);
    else short.delete(other);
    owners.set(text, other ?? path);
  }
  return short;
}

/** The longest start, up to a slash, that more than half of the paths have. */
function sharedStart(all: readonly string[]): string {
  const stride = Math.ceil(all.length / SAMPLE);
  const paths = all.filter((_, index) => index % stride === 0);
  let start = '';
  let under = paths;
  while (under.length > 1) {
    const counts = new Map<string, number>();
    for (const path of under) {
      const end = path.indexOf('/', start.length) + 1;
      if (end === 0) continue;
      const next = path.slice(0, end);
      counts.set(next, (counts.get(next) ?? 0) + 1);
    }
    const most = [...counts].find(([, count]) => count > 1 && count * 2 > paths.length);
    if (!most) break;
    [start] = most;
    under = under.filter((path) => path.startsWith(start));
  }
  return start;
}

/** The length of what a path has of a start, up to a slash, without the parts to keep. */
function removable(path: string, start: string): number {
  let limit = path.length;
  for (let part = 0; part < PARTS_KEPT; part++) limit = path.lastIndexOf('/', limit - 1);
  let at = 0;
  while (at < start.length && path[at] === start[at]) at++;
  return path.lastIndexOf('/', Math.min(at - 1, limit)) + 1;
}
