/** The HLO graph around an op, with times; search, HLO text, and links to the timeline and ops. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatCount, formatDuration, plural } from '../../format/numbers';
import { truncateMiddle } from '../../format/text';
import { getParam, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { Legend } from '../../widgets/bars';
import { download } from '../../widgets/copy';
import { EmptyState } from '../../widgets/empty';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import { getJson } from '../../wire/client';
import type { GraphReport } from '../../wire/generated/GraphReport';
import { createReport, reportUrl } from '../../wire/report';
import { graphColor, graphTitle } from './classes';
import { NodeDetails } from './details';
import { Scene } from './scene';
import { Search } from './search';
import './graph.css';

const RADII = [1, 2, 3, 4, 6];
const DEFAULT_RADIUS = '3';

export default function GraphView(props: ViewProps) {
  const options = () => ({
    ...selectionParams(),
    op: getParam('op'),
    radius: getParam('radius'),
    'merge-fusions': getParam('merge-fusions'),
  });
  const report = createReport('graph', () => props.session, options);
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().program} fallback={<NoProgram report={data()} />}>
          <GraphPage session={props.session} report={data()} />
        </Show>
      )}
    </AnswerView>
  );
}

function GraphPage(props: { session: string; report: GraphReport }) {
  const [chosen, setChosen] = createSignal<{ report: GraphReport; id: number }>();
  const shown = createMemo(() => {
    const { nodes } = props.report;
    const own = chosen();
    const id = own?.report === props.report ? own.id : undefined;
    return nodes.find((node) => node.id === id) ?? nodes.find((node) => node.is_center);
  });
  const center = (name: string) => setParams({ op: name, find: null }, false);
  const classes = createMemo(() => [...new Set(props.report.nodes.map((node) => node.class))]);
  const isHeat = () => getParam('heat') === 'true';
  const hasTimes = () => props.report.nodes.some((node) => node.self_ps !== null);
  return (
    <div class="page is-filling">
      <Warnings notes={props.report.notes} />
      <div class="graph-bar">
        <Search session={props.session} onChoose={center} />
        <select
          aria-label="Program"
          data-tip="Program"
          value={props.report.program_id}
          onChange={(event) => {
            setParams({ op: null, program: event.currentTarget.value }, false);
          }}
        >
          <For each={props.report.programs}>
            {(program) => (
              <option value={program.program_id}>
                {truncateMiddle(program.program, 24)} · {formatCount(program.instruction_count)}
                {program.self_ps > 0 ? ` · ${formatDuration(program.self_ps)}` : ''}
              </option>
            )}
          </For>
        </select>
        <label class="graph-field" data-figure="graph.radius">
          Radius
          <select
            value={getParam('radius') ?? DEFAULT_RADIUS}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setParams({ radius: value === DEFAULT_RADIUS ? null : value }, false);
            }}
          >
            <For each={RADII}>{(radius) => <option value={String(radius)}>{radius}</option>}</For>
          </select>
        </label>
        <label class="graph-field">
          <input
            type="checkbox"
            checked={getParam('merge-fusions') !== 'true'}
            onChange={(event) =>
              setParams({ 'merge-fusions': event.currentTarget.checked ? null : 'true' }, false)
            }
          />
          Expand fusions
        </label>
        <Show when={hasTimes()}>
          <label class="graph-field" data-tip="Color nodes by self time instead of by class">
            <input
              type="checkbox"
              checked={isHeat()}
              onChange={(event) =>
                setParams({ heat: event.currentTarget.checked ? 'true' : null }, true)
              }
            />
            Color by time
          </label>
        </Show>
        <span class="spacer" />
        <Downloads session={props.session} report={props.report} />
      </div>
      <div class="graph-main is-main">
        <section class="card graph-card">
          <Scene
            report={props.report}
            selected={shown()?.id ?? null}
            isHeat={isHeat() && hasTimes()}
            onSelect={(id) => setChosen({ report: props.report, id })}
            onCenter={center}
          />
          <div class="graph-foot">
            <Legend
              entries={classes().map((name) => ({
                title: graphTitle(name),
                color: graphColor(name),
              }))}
            />
            <span class="muted graph-count">
              {plural(props.report.nodes.length, 'instruction')}
              <Show when={props.report.hidden_count > 0}>
                , {formatCount(props.report.hidden_count)} more not shown
              </Show>
            </span>
          </div>
        </section>
        <Show when={shown()}>
          {(node) => <NodeDetails report={props.report} node={node()} onCenter={center} />}
        </Show>
      </div>
      <Remarks notes={props.report.notes} />
    </div>
  );
}

const TEXTS = [
  { title: 'Program, long', of: 'module', text: 'long' },
  { title: 'Program, short', of: 'module', text: 'short' },
  { title: 'Computation, long', of: 'computation', text: 'long' },
  { title: 'Computation, short', of: 'computation', text: 'short' },
  { title: 'Op, long', of: 'op', text: 'long' },
];

function Downloads(props: { session: string; report: GraphReport }) {
  const save = async (choice: string) => {
    const name = `stepscope-${props.report.program}-${props.report.op}`;
    const query = {
      ...selectionParams(),
      program: props.report.program_id,
      op: props.report.op,
      radius: getParam('radius'),
      'merge-fusions': getParam('merge-fusions'),
    };
    const wanted = TEXTS[Number(choice)];
    const own = wanted ? { text: wanted.text, of: wanted.of } : { dot: 'true' };
    const url = reportUrl(props.session, 'graph', { ...query, ...own });
    const answer = await getJson<GraphReport>(url, undefined, false);
    if (wanted) download(`${name}-${wanted.of}-${wanted.text}.txt`, 'text/plain', answer.text);
    else download(`${name}.dot`, 'text/vnd.graphviz', answer.dot);
  };
  return (
    <select
      class="graph-download"
      aria-label="Download"
      value=""
      onChange={(event) => {
        void save(event.currentTarget.value);
        event.currentTarget.value = '';
      }}
    >
      <option value="" selected disabled>
        Download…
      </option>
      <For each={TEXTS}>
        {(text, index) => <option value={String(index())}>{text.title}</option>}
      </For>
      <option value="dot">Graph for Graphviz</option>
    </select>
  );
}

function NoProgram(props: { report: GraphReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No HLO"
      actions={
        <Show when={getParam('program')}>
          <button onClick={() => select('program', null)}>All programs</button>
        </Show>
      }
    >
      {note()?.text ?? 'This capture contains no programs.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </EmptyState>
  );
}
