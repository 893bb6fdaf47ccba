/** The ten ops with the largest self time. */
import { compareTable } from '../../compare/identity';
import { escapeRegex } from '../../format/text';
import { hrefTo, navigate } from '../../shell/state';
import * as op from '../../widgets/op-columns';
import { declared } from '../../widgets/table/declared';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { OpRow } from '../../wire/generated/OpRow';
import type { OverviewReport } from '../../wire/generated/OverviewReport';

const COLUMNS = declared<OpRow>('overview.top_ops', [
  { ...op.OP_NAME, width: 200 },
  op.OP_SELF,
  op.OP_SHARE,
  op.OP_COUNT,
  op.OP_FLOP_RATE,
  { ...op.OP_BOUND, width: 76 },
  { ...op.OP_SOURCE, width: 170 },
]);

const COMPARE = compareTable('overview.top_ops', (report: OverviewReport) => report.top_ops, {
  isExcerpt: true,
});

export function TopOps(props: { report: OverviewReport; session: string }) {
  const state = localTableState('self_ps');
  return (
    <section class="card">
      <header>
        <h2>Top ops by self time</h2>
        <span class="spacer" />
        <a href={hrefTo({ view: 'ops' })}>All ops</a>
      </header>
      <DataTable
        rows={props.report.top_ops}
        columns={COLUMNS}
        state={state}
        noun="op"
        compare={COMPARE}
        fileName="stepscope-top-ops"
        isPlain
        onRow={(row) => navigate({ view: 'ops', params: { q: `^${escapeRegex(row.name)}$` } })}
        empty="No ops ran in this selection. If the trace was stopped before the devices finished, call jax.block_until_ready first."
      />
    </section>
  );
}
