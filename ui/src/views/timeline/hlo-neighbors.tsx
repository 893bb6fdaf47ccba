/** Operands and users of the selected op, with their time in the same step; a click selects their slice. */
import { createMemo, For, Show } from 'solid-js';

import { formatCount, formatDuration, plural } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import {
  neighborQuery,
  neighborsOf,
  type Neighbor,
  type Neighbors,
} from '../../timeline/hlo-neighbors';
import { programId } from '../../timeline/program-id';
import { createAnswer, reportUrl } from '../../wire/report';
import type { GraphReport } from '../../wire/generated/GraphReport';
import type { SliceDetails } from '../../wire/generated/SliceDetails';
import type { PanelProps } from './drawer';
import './hlo-neighbors.css';

interface NeighborProps extends PanelProps {
  details: SliceDetails;
}

export function HloNeighbors(props: NeighborProps) {
  const answer = createAnswer<GraphReport>(() => {
    const query = neighborQuery(props.timeline.report, props.details);
    return query && reportUrl(props.session, 'graph', query);
  });
  // The last answer stays until the next one has come: it may be about another op.
  const neighbors = createMemo(() => {
    const report = answer.data();
    const isOwn =
      report?.op === props.details.op && report?.program_id === programId(props.details.program);
    return report && isOwn ? neighborsOf(report) : null;
  });
  return (
    <Show when={neighbors()}>
      {(found) => (
        <section class="hlo-neighbors" aria-label="Operands and users">
          <List {...props} title="Operands" list={found().operands} hidden={found().hiddenOperands} />
          <List {...props} title="Users" list={found().users} hidden={found().hiddenUsers} />
        </section>
      )}
    </Show>
  );
}

interface ListProps extends NeighborProps {
  title: string;
  list: Neighbors['operands'];
  hidden: number;
}

function List(props: ListProps) {
  const count = () => props.list.length + props.hidden;
  const isInStep = () => props.details.step !== null;
  const graph = () =>
    hrefTo({
      view: 'graph',
      params: { program: programId(props.details.program) ?? '', op: props.details.op ?? '' },
    });
  return (
    <div>
      <h3>
        {props.title} <span class="muted">{formatCount(count())}</span>
        <Show when={isInStep() && props.list.length > 0}>
          <span class="muted"> · time in step {props.details.step}</span>
        </Show>
      </h3>
      <ul class="flows" aria-label={props.title}>
        <For each={props.list} fallback={<li class="muted">none</li>}>
          {(one) => (
            <li>
              <Row neighbor={one} onShow={() => show(props, one)} />
            </li>
          )}
        </For>
      </ul>
      <Show when={props.hidden > 0}>
        <a href={graph()}>{plural(props.hidden, 'more', 'more')} in Graph</a>
      </Show>
    </div>
  );
}

function Row(props: { neighbor: Neighbor; onShow: () => void }) {
  const node = () => props.neighbor.node;
  const time = () => {
    const { total_ps, occurrences } = node();
    if (total_ps === null) return '–';
    const times = (occurrences ?? 1) > 1 ? `${formatCount(occurrences)} × in ` : '';
    return times + formatDuration(total_ps);
  };
  const tip = () =>
    node().slice === null
      ? `${node().name}: not executed on its own`
      : `${node().name}\nShow its longest slice`;
  return (
    <button class="flow" aria-disabled={node().slice === null} data-tip={tip()} onClick={props.onShow}>
      <span class="flow-name mono">{node().name}</span>
      <span class="muted mono neighbor-shape" data-tip={props.neighbor.shape}>
        {props.neighbor.shape || 'order only'}
      </span>
      <span class="number">{time()}</span>
    </button>
  );
}

function show({ commands }: PanelProps, { node }: Neighbor): void {
  if (node.slice === null) return;
  const known =
    node.slice_start_ps === null || node.slice_duration_ps === null
      ? undefined
      : { startPs: node.slice_start_ps, durationPs: node.slice_duration_ps };
  void commands.goTo(node.slice, known);
}
