/** Where a piece of evidence leads: a view and its parameters. */
import type { Params } from '../../shell/state';
import { formatRange } from '../../timeline/address';
import type { AdviceEvidence } from '../../wire/generated/AdviceEvidence';

export interface EvidenceLink {
  view: string;
  params: Params;
}

/** The views that a piece of evidence can be looked at in; the first shows it best. */
export function linksOf(evidence: AdviceEvidence, views: ReadonlySet<string>): EvidenceLink[] {
  const links: EvidenceLink[] = [];
  if (evidence.view === 'timeline' && evidence.start_ps !== null && evidence.end_ps !== null) {
    const range = { startPs: evidence.start_ps, endPs: evidence.end_ps };
    links.push({
      view: 'timeline',
      params: { window: formatRange(widened(range)), area: formatRange(range) },
    });
  } else if (evidence.view === 'ops' && evidence.op) {
    links.push({ view: 'ops', params: { q: `^${escapeRegex(evidence.op)}$` } });
    if (evidence.program_id) {
      links.push({ view: 'graph', params: { program: evidence.program_id, op: evidence.op } });
    }
  } else if (evidence.view) {
    links.push({ view: evidence.view, params: {} });
  }
  return links.filter((link) => views.has(link.view));
}

/** A tenth more on each side, so that what is before and after can be seen. */
export function widened(range: { startPs: number; endPs: number }) {
  const margin = Math.max(1, (range.endPs - range.startPs) / 10);
  return { startPs: range.startPs - margin, endPs: range.endPs + margin };
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
