/** How bad the verdict on a session is. Pure. */
import type { VerdictKind } from '../../wire/generated/VerdictKind';
import type { SessionSummary } from '../../wire/types';

const VERDICTS: readonly VerdictKind[] = ['good', 'warning', 'bad'];

type Judged = Pick<SessionSummary, 'verdict'>;

export const verdictOf = ({ verdict }: Judged): VerdictKind | undefined =>
  VERDICTS.find((kind) => kind === verdict);

/** Worse is more; null if nothing was judged. */
export function severityOf({ verdict }: Judged): number | null {
  const found = VERDICTS.findIndex((kind) => kind === verdict);
  return found < 0 ? null : found;
}
