/** Which sessions a session is likely to be compared with, and how each is told from the others. Pure. */
import { formatBytes, formatDate } from '../format/numbers';
import type { SessionSummary } from '../wire/types';

/** Sessions with a heading. */
export interface SessionGroup {
  title: string;
  sessions: SessionSummary[];
}

const TITLES = [
  'Same program and devices',
  'Same folder, not opened yet',
  'Not opened yet',
  'Other program or devices',
] as const;

/**
 * Sessions grouped by how alike they are to another one, each group newest first. What is not open
 * may well be alike: neither its program nor its devices are known.
 */
export function groupedByLikeness(
  sessions: readonly SessionSummary[],
  to: SessionSummary | undefined,
): SessionGroup[] {
  const groups = TITLES.map((title): SessionGroup => ({ title, sessions: [] }));
  for (const session of sessions) groups[likenessOf(session, to)]?.sessions.push(session);
  const newestFirst = (one: SessionSummary, other: SessionSummary) =>
    (whenOf(other) ?? 0) - (whenOf(one) ?? 0);
  return groups
    .filter((group) => group.sessions.length > 0)
    .map((group) => ({ ...group, sessions: group.sessions.sort(newestFirst) }));
}

/** The place of its group: 0 is the most alike. */
function likenessOf(session: SessionSummary, to: SessionSummary | undefined): number {
  if (!to) return 2;
  const figures = [
    [session.program, to.program],
    [session.devices, to.devices],
  ] as const;
  if (figures.some(([own, other]) => own !== '' && other !== '' && own !== other)) return 3;
  if (figures.every(([own, other]) => own !== '' && own === other)) return 0;
  const isOpen = session.state === 'open' || session.is_indexed;
  if (isOpen) return 3;
  return parentOf(session) === parentOf(to) && parentOf(to) !== '' ? 1 : 2;
}

/** When it was captured or, as long as that is unknown, written. */
export const whenOf = (session: SessionSummary): number | null =>
  session.captured_epoch_ms ?? session.modified_epoch_ms;

/** The parts of its path that say something. */
const partsOf = ({ location }: SessionSummary): string[] =>
  location.split('/').filter((part) => !['', '.', 'plugins', 'profile'].includes(part));

/** The folder that the folder of the capture is in. */
const parentOf = (session: SessionSummary): string => partsOf(session).slice(0, -2).join('/');

/** Names that only say when: `2026_11_29_20_32_01`. */
const DATED = /^\d{4}([_-]\d{2}){2,}/;

/** The folder that a session is in, if its name does not have it: `bayesopt` of `bayesopt/2026_11_29`. */
export function folderOf(session: SessionSummary, root: string): string {
  const before = root.split('/').filter((part) => !['', '.'].includes(part)).length;
  const parts = partsOf(session);
  const named = session.name.split('/').length;
  if (parts.slice(-named).join('/') !== session.name) return '';
  const path = parts.slice(Math.min(before, parts.length - named), parts.length - named);
  return path.at(-1) ?? '';
}

/** Its name, with the folder if the name alone is a date. */
export function calledInShort(session: SessionSummary, root: string): string {
  const folder = DATED.test(session.name) ? folderOf(session, root) : '';
  return folder === '' ? session.name : `${folder}/${session.name}`;
}

/** What tells a session from others of the same name. */
export function detailsOf(session: SessionSummary): string {
  const when = whenOf(session);
  return [
    session.program,
    session.devices,
    formatBytes(session.size_bytes),
    when === null ? '' : formatDate(when),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
