/** Secondary tables of communication: single occurrences, steps, exchanges, shardings. */
import { For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { shared } from '../../shell/shared';
import { getParam, navigate, select, setParams } from '../../shell/state';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { localTab, Tabbed } from '../../widgets/tabs/tabbed';
import type { CollectivesReport } from '../../wire/generated/CollectivesReport';
import { timelineAt, type Placed } from './columns';
import { GROUPS, INSTANCES, PEERS, RENDEZVOUS, SHARDINGS, STEPS } from './more-columns';

const open = (row: Placed) => navigate({ view: 'timeline', params: timelineAt(row) });

const COMPARE = {
  groups: compareTable('collectives.groups', (report: CollectivesReport) => report.groups),
  steps: compareTable('collectives.steps', (report: CollectivesReport) => report.steps),
  rendezvous: compareTable('collectives.rendezvous', (report: CollectivesReport) => report.rendezvous),
};

/** The secondary tables, one per tab. */
export function More(props: { report: CollectivesReport; name: string }) {
  const groups = localTableState('exposed_ps');
  const instances = localTableState('duration_ps');
  const steps = localTableState('-step');
  const rendezvous = localTableState('total_stall_ps');
  const peers = localTableState('p99_ps');
  const shardings = localTableState('total_bytes');
  const isGuessed = () => props.report.shardings.some((row) => row.is_mesh_guessed);
  const counts = {
    groups: () => props.report.groups.length,
    instances: () => props.report.instance_count,
    steps: () => props.report.steps.length,
    rendezvous: () => props.report.rendezvous.length,
    peers: () => props.report.peers.length,
    shardings: () => props.report.sharding_count,
  };
  return (
    <Show when={Object.values(counts).some((count) => count() > 0)}>
      <Tabbed
        class="collectives-more"
        label="More tables"
        hasHeader
        state={localTab()}
        tabs={[
          {
            name: 'groups',
            title: 'By axis, line, kind',
            count: counts.groups,
            has: () => counts.groups() > 0,
            body: () => (
              <DataTable
                rows={props.report.groups}
                columns={GROUPS}
                state={groups}
                noun="group"
                compare={COMPARE.groups}
                fileName={`stepscope-${props.name}-communication-groups`}
                isFilling
                tools={<Show when={!shared()}><BySwitch /></Show>}
              />
            ),
          },
          {
            name: 'instances',
            title: 'Costliest occurrences',
            count: counts.instances,
            has: () => counts.instances() > 0,
            body: () => (
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
            ),
          },
          {
            name: 'steps',
            title: 'Steps',
            count: counts.steps,
            has: () => counts.steps() > 0,
            body: () => (
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
            ),
          },
          {
            name: 'rendezvous',
            title: 'Host and cross-slice',
            count: counts.rendezvous,
            has: () => counts.rendezvous() > 0,
            body: () => (
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
            ),
          },
          {
            name: 'peers',
            title: 'Messages between slices',
            count: counts.peers,
            has: () => counts.peers() > 0,
            body: () => (
              <DataTable
                rows={props.report.peers}
                columns={PEERS}
                state={peers}
                noun="senders"
                fileName={`stepscope-${props.name}-peers`}
                isFilling
                onRow={(row) => open({ ...row, duration_ps: row.max_ps })}
              />
            ),
          },
          {
            name: 'shardings',
            title: 'Inputs and outputs',
            count: counts.shardings,
            has: () => counts.shardings() > 0,
            body: () => (
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
                    <span class="muted">Axes are numbered because the program does not name its mesh</span>
                  </Show>
                }
              />
            ),
          },
        ]}
      />
    </Show>
  );
}

const GROUPINGS = [
  { by: 'axis', title: 'Mesh axis' },
  { by: 'source', title: 'Source line' },
  { by: 'scope', title: 'Scope' },
  { by: 'kind', title: 'Kind' },
  { by: 'core', title: 'Core' },
];

/** What the groups of the link share. */
export const groupedBy = () => getParam('by') ?? 'axis';

function BySwitch() {
  return (
    <span class="segmented">
      <For each={GROUPINGS}>
        {({ by, title }) => (
          <button
            aria-pressed={groupedBy() === by}
            onClick={() => setParams({ by: by === 'axis' ? null : by }, false)}
          >
            {title}
          </button>
        )}
      </For>
    </span>
  );
}
