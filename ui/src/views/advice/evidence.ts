/** A link from a piece of evidence to a view, with its parameters. */
import type { Params } from '../../shell/state';
import { formatRange } from '../../timeline/address';
import type { AdviceEvidence } from '../../wire/generated/AdviceEvidence';
import type { AdviceFinding } from '../../wire/generated/AdviceFinding';

export interface EvidenceLink {
  view: string;
  params: Params;
}

/** Views that show one program at a time. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['buffers', 'op_tree']);

/** Links to the views that show a piece of evidence, best first. */
export function linksOf(evidence: AdviceEvidence, views: ReadonlySet<string>): EvidenceLink[] {
  const links: EvidenceLink[] = [];
  if (evidence.view === 'timeline' && evidence.start_ps !== null && evidence.end_ps !== null) {
    const range = { startPs: evidence.start_ps, endPs: evidence.end_ps };
    links.push({
      view: 'timeline',
      params: {
        window: formatRange(widened(range)),
        area: formatRange(range),
        at: evidence.device,
        cause: evidence.op ? `op:${evidence.op}` : 'idle',
      },
    });
  } else if (evidence.op) {
    links.push({ view: evidence.view, params: { q: `^${escapeRegex(evidence.op)}$` } });
  } else if (evidence.view) {
    const program = OF_PROGRAMS.has(evidence.view) ? evidence.program_id : '';
    links.push({ view: evidence.view, params: program ? { program } : {} });
  }
  if (evidence.op && evidence.program_id) {
    links.push({ view: 'graph', params: { program: evidence.program_id, op: evidence.op } });
  }
  return links.filter((link) => views.has(link.view));
}

/** Widens a range by a tenth on each side, to show what is before and after it. */
export function widened(range: { startPs: number; endPs: number }) {
  const margin = Math.max(1, (range.endPs - range.startPs) / 10);
  return { startPs: range.startPs - margin, endPs: range.endPs + margin };
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The fields of a finding that `overlapping` reads. */
type Gain = Pick<AdviceFinding, 'id' | 'title' | 'gain_ps_per_step' | 'overlaps'>;

/** Other findings whose gain may be the same time, with their numbers in the list. */
export function overlapping(
  finding: Gain,
  all: readonly Gain[],
): { number: number; title: string }[] {
  return all.flatMap((other, index) =>
    other !== finding && other.gain_ps_per_step !== null && finding.overlaps.includes(other.id)
      ? [{ number: index + 1, title: other.title }]
      : [],
  );
}
