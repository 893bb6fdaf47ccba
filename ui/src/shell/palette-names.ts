/** Names of the session that the palette finds: ops, scopes and source lines. */
import { escapeRegex } from '../format/text';
import type { OpRow } from '../wire/generated/OpRow';
import type { OpsReport } from '../wire/generated/OpsReport';
import { createAnswer, reportUrl } from '../wire/report';
import type { Command } from './palette-commands';
import { ranked } from './palette-order';
import { navigate, route, selectionParams } from './state';

/** Shorter texts match too much. */
const LEAST_LETTERS = 2;
/** The most of each kind that are listed. */
const MOST_OF_A_KIND = 6;
/** The longest ops that are looked through: those of the ops view, so that one answer serves both. */
const MOST_OPS = 5000;

/** Creates the search; the ops are requested when the first text is typed. */
export function createNames(query: () => string): () => Command[] {
  const isAsked = () => route.session !== null && query().trim().length >= LEAST_LETTERS;
  const report = createAnswer<OpsReport>(() =>
    isAsked() && route.session !== null
      ? reportUrl(route.session, 'ops', { ...selectionParams(), limit: MOST_OPS })
      : null,
  );
  return () => (isAsked() ? namesOf(report.data()?.rows ?? [], query()) : []);
}

/** The best matches of each kind. */
export function namesOf(rows: readonly OpRow[], query: string): Command[] {
  const distinct = (names: readonly string[]) => [...new Set(names.filter(Boolean))];
  const kinds: [string, string[], (name: string) => void][] = [
    ['Op', distinct(rows.map((row) => row.name)), (name) => showOps(`^${escapeRegex(name)}$`)],
    ['Scope', distinct(rows.map((row) => row.scope)), (name) => showOps(escapeRegex(name))],
    ['Source', distinct(rows.map((row) => row.source)), (name) => showOps(escapeRegex(name))],
  ];
  return kinds.flatMap(([group, names, show]) =>
    ranked(
      // Only the name itself is searched, not the kind.
      names.map((title) => ({ title, detail: '', group: '' })),
      query,
    )
      .slice(0, MOST_OF_A_KIND)
      .map(({ title }) => ({ title, detail: '', group, run: () => show(title) })),
  );
}

const showOps = (pattern: string) => navigate({ view: 'ops', params: { q: pattern } });
