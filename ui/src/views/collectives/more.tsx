/** Tables of communication that few need at once: single occurrences, steps, exchanges, shardings. */
import { createSignal, For, Show } from 'solid-js';

import { compareRows } from '../../compare/pairing';
import { navigate, select } from '../../shell/state';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { CollectiveStepRow } from '../../wire/generated/CollectiveStepRow';
import type { CollectivesReport } from '../../wire/generated/CollectivesReport';
import type { RendezvousRow } from '../../wire/generated/RendezvousRow';
import { timelineAt, type Placed } from './columns';
import { INSTANCES, RENDEZVOUS, SHARDINGS, STEPS } from './more-columns';

type Tab = 'instances' | 'steps' | 'rendezvous' | 'shardings';

const open = (row: Placed) => navigate({ view: 'timeline', params: timelineAt(row) });

const COMPARE = {
  steps: compareRows((report: CollectivesReport) => report.steps, {
    step: (row: CollectiveStepRow) => row.step,
    identity: () => 'step',
  }),
  rendezvous: compareRows((report: CollectivesReport) => report.rendezvous, {
    op: (row: RendezvousRow) => [row.program_id, row.send_op],
  }),
};

/** Tables that few need at once: one at a time. */
export function More(props: { report: CollectivesReport; name: string }) {
  const tabs = () =>
    (
      [
        ['instances', 'Costliest occurrences', props.report.instance_count],
        ['steps', 'Steps', props.report.steps.length],
        ['rendezvous', 'Host and other slices', props.report.rendezvous.length],
        ['shardings', 'Inputs and outputs', props.report.sharding_count],
      ] as [Tab, string, number][]
    ).filter(([, , count]) => count > 0);
  const [wanted, setWanted] = createSignal<Tab | null>(null);
  const tab = () => wanted() ?? tabs()[0]?.[0] ?? null;
  const instances = localTableState('duration_ps');
  const steps = localTableState('-step');
  const rendezvous = localTableState('total_stall_ps');
  const shardings = localTableState('total_bytes');
  const isGuessed = () => props.report.shardings.some((row) => row.is_mesh_guessed);
  return (
    <Show when={tabs().length > 0}>
      <section class="card collectives-more">
        <header>
          <div class="segmented">
            <For each={tabs()}>
              {([key, title, count]) => (
                <button aria-pressed={tab() === key} onClick={() => setWanted(key)}>
                  {title} <span class="muted">{count}</span>
                </button>
              )}
            </For>
          </div>
        </header>
        <Show when={tab() === 'instances'}>
          <DataTable
            rows={props.report.instances}
            rowCount={props.report.instance_count}
            columns={INSTANCES}
            state={instances}
            noun="occurrence"
            fileName={`stepscope-${props.name}-occurrences`}
            isFilling
            onRow={open}
          />
        </Show>
        <Show when={tab() === 'steps'}>
          <DataTable
            rows={props.report.steps}
            columns={STEPS}
            state={steps}
            noun="step"
            compare={COMPARE.steps}
            fileName={`stepscope-${props.name}-communication-steps`}
            isFilling
            onRow={(row) => select('steps', String(row.step))}
          />
        </Show>
        <Show when={tab() === 'rendezvous'}>
          <DataTable
            rows={props.report.rendezvous}
            columns={RENDEZVOUS}
            state={rendezvous}
            noun="rendezvous"
            compare={COMPARE.rendezvous}
            fileName={`stepscope-${props.name}-rendezvous`}
            isFilling
            onRow={(row) => open({ ...row, duration_ps: row.observed_ps })}
          />
        </Show>
        <Show when={tab() === 'shardings'}>
          <DataTable
            rows={props.report.shardings}
            rowCount={props.report.sharding_count}
            columns={SHARDINGS}
            state={shardings}
            noun="value"
            fileName={`stepscope-${props.name}-shardings`}
            isFilling
            tools={
              <Show when={isGuessed()}>
                <span class="muted">Axes are numbered: the program does not name its mesh</span>
              </Show>
            }
          />
        </Show>
      </section>
    </Show>
  );
}
