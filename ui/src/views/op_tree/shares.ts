/** Shares of the tree of ops, which are of what its picture shows: with idle time, or without. Pure. */
import type { OpTreeReport } from '../../wire/generated/OpTreeReport';

/** Notes that are about idle time only. */
const OF_IDLE = ['idle-window', 'concurrent-streams'];

/** The report without its idle time: the ops alone are the whole. Nodes keep their positions. */
export function withoutIdle(report: OpTreeReport): OpTreeReport {
  const { self_ps, idle_ps } = report;
  if (idle_ps === null || self_ps <= 0) return report;
  const grown = (self_ps + idle_ps) / self_ps;
  const share = <Row extends { ratio: number }>(row: Row) => ({ ...row, ratio: row.ratio * grown });
  return {
    ...report,
    idle_ps: null,
    rows: report.rows.map((row) => (row.kind === 'idle' ? row : share(row))),
    wasted: report.wasted.map(share),
    notes: report.notes.filter(({ id }) => !OF_IDLE.includes(id)),
  };
}
