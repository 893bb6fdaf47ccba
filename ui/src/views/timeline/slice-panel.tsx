/** Everything known about the selected slice. */
import { createComputed, createMemo, For, Show, type JSX } from 'solid-js';

import { changeOf } from '../../compare/change';
import { attributionText, categoryText } from '../../format/attribution';
import { format, formatBytes, formatCount, formatDuration } from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { shared } from '../../shell/shared';
import { hrefTo, toggleStep } from '../../shell/state';
import { exactText } from '../../timeline/clock';
import { LAID_TRACK } from '../../timeline/laid';
import { frameOf } from '../../timeline/stack-frame';
import { programId } from '../../timeline/program-id';
import { TextChange } from '../../widgets/change';
import { CodeBlock, CopyButton } from '../../widgets/copy';
import { SourceLines } from '../../widgets/source-lines';
import { SourceText } from '../../widgets/source-text';
import type { FlowReport } from '../../wire/generated/FlowReport';
import type { SliceDetails } from '../../wire/generated/SliceDetails';
import type { Counterpart } from './baseline-stage';
import { Chain } from './chain';
import { PanelHint, type PanelProps } from './drawer';
import { HloNeighbors } from './hlo-neighbors';
import { Participants } from './participants';
import { shortOf } from './short-name';
import { WhyNow } from './why';

export function SlicePanel(props: PanelProps) {
  const selection = () => props.timeline.selection[0]();
  return (
    <Show
      when={selection()}
      fallback={<PanelHint text="Click a slice to see what it is." keys="click" />}
    >
      {(selected) => (
        <Show
          when={selected().details}
          fallback={<p class="panel-hint muted">{formatDuration(selected().durationPs)}</p>}
        >
          {(details) => <Details {...props} details={details()} />}
        </Show>
      )}
    </Show>
  );
}

interface DetailsProps extends PanelProps {
  details: SliceDetails;
}

function Details(props: DetailsProps) {
  const details = () => props.details;
  const isShort = () => shortOf(props.timeline, details().name) !== details().name;
  createComputed(() => props.timeline.scene.labels.learnNames([details().name]));
  return (
    <div class="slice-panel">
      <header class="slice-title">
        <span class="swatch" style={{ background: classColor(details().class) }} />
        <h2 class="slice-name" data-tip={isShort() ? details().name : undefined}>
          {shortOf(props.timeline, details().name)}
        </h2>
        <CopyButton text={() => details().name} tip="Copy the name">
          Copy
        </CopyButton>
        <span class="spacer" />
        <div class="slice-actions">
          <button onClick={() => props.commands.focus()} data-tip="Zoom to this slice (f)">
            Zoom
          </button>
          <button
            onClick={() => props.timeline.setQuery(`^${escapeRegex(details().name)}$`)}
            data-tip="Find all slices with this name"
          >
            Find all
          </button>
          <button
            onClick={() => props.commands.selectionToArea()}
            data-tip="Show what ran at the same time on all tracks (r)"
          >
            As area
          </button>
        </div>
      </header>
      <Show when={props.counterpart}>
        {(counterpart) => <CounterpartLine counterpart={counterpart()} details={details()} />}
      </Show>
      <WhyNow {...props} />
      <Participants {...props} />
      <Show when={isShort()}>
        <p class="slice-full-name mono muted">{details().name}</p>
      </Show>
      <div class="slice-columns">
        <Facts {...props} />
        <Links {...props} />
        <Stats details={details()} />
      </div>
      <Show when={shared() === null}>
        <HloNeighbors {...props} />
      </Show>
      <Show when={details().expression}>
        {(expression) => (
          <section class="slice-expression">
            <h3>HLO</h3>
            <CodeBlock code={expression()} />
          </section>
        )}
      </Show>
    </div>
  );
}

/** The slice of the same op in the other session, and how much longer it is. */
function CounterpartLine(props: { counterpart: Counterpart; details: SliceDetails }) {
  const found = () => (props.counterpart.kind === 'found' ? props.counterpart : null);
  const whose = () => (props.counterpart.isBaseline ? 'In the baseline' : 'In the session');
  // Whichever is selected, the change is from the baseline to the session. Single slices are not
  // enough evidence for better or worse.
  const change = () => {
    const other = found()?.slice.durationPs;
    const own = props.details.duration_ps;
    const [now, before] = props.counterpart.isBaseline ? [own, other] : [other, own];
    return changeOf(now, before, { kind: 'duration', better: 'neither' });
  };
  return (
    <p class="slice-counterpart">
      <Show
        when={found()}
        fallback={
          <span class="muted">
            {props.counterpart.kind === 'none' ? props.counterpart.reason : ''}
          </span>
        }
      >
        {(other) => (
          <>
            <span class="muted">{whose()}</span>
            <span class="mono">{other().slice.details?.name}</span>
            <span class="number">{formatDuration(other().slice.durationPs)}</span>
            <Show when={change()}>
              {(one) => <TextChange change={one()} kind="duration" />}
            </Show>
            <button onClick={() => other().show()} data-tip="Show it in the timeline">
              Show
            </button>
          </>
        )}
      </Show>
    </p>
  );
}

/** Times and meaning, as a list. */
function Facts(props: DetailsProps) {
  const details = () => props.details;
  const selfShare = () => details().self_ps / Math.max(1, details().duration_ps);
  const perSecond = (amount: number | null) =>
    amount === null || details().duration_ps <= 0 ? null : (amount / details().duration_ps) * 1e12;
  return (
    <dl class="facts">
      <Fact title="Duration">
        <b class="number">{formatDuration(details().duration_ps)}</b>
      </Fact>
      <Show when={details().self_ps !== details().duration_ps}>
        <Fact title="Self">
          <span class="number">
            {formatDuration(details().self_ps)}
            <span class="muted"> {format('ratio', selfShare())} of total</span>
          </span>
        </Fact>
      </Show>
      <Fact title="Start">
        <span class="number">{exactText(props.timeline.times.clock[0](), details().start_ps)}</span>
      </Fact>
      <Fact title="End">
        <span class="number">
          {exactText(props.timeline.times.clock[0](), details().start_ps + details().duration_ps)}
        </span>
      </Fact>
      <Fact title="Track">{details().track_name}</Fact>
      <Fact title="Class">{classTitle(details().class)}</Fact>
      <Show when={details().step !== null}>
        <Fact title="Step">
          <button
            class="fact-link number"
            data-tip="Select or deselect this step in all views"
            onClick={() => toggleStep(details().step ?? 0)}
          >
            {details().step}
          </button>
        </Fact>
      </Show>
      <Text title="Program" text={details().program} />
      <Show when={details().op}>
        {(op) => (
          <Fact title="Op">
            <a
              class="mono"
              href={hrefTo({ view: 'ops', params: { q: `^${escapeRegex(op())}$` } })}
              data-tip="Show it in the table of ops"
            >
              {op()}
            </a>{' '}
            <Show when={programId(details().program)}>
              {(program) => (
                <a
                  href={hrefTo({ view: 'graph', params: { program: program(), op: op() } })}
                  data-tip="Show it in the graph of the program"
                >
                  Graph
                </a>
              )}
            </Show>
          </Fact>
        )}
      </Show>
      <Text title="Op from" text={attributionText(details().attribution ?? '')} />
      <Text
        title="Category"
        text={categoryText(details().category ?? '', details().category_source ?? '')}
      />
      <Show when={details().scope}>
        {(scope) => (
          <Fact title="Scope">
            <a
              class="mono"
              href={hrefTo({ view: 'scopes', params: { q: escapeRegex(scope()) } })}
              data-tip="Show it in the tree of scopes"
            >
              <Show when={details().scope_paths.length > 0} fallback={scope()}>
                combined: {details().scope_paths.length} paths
              </Show>
            </a>
            <Show when={details().scope_paths.length > 0}>
              <ul class="plain-list mono" aria-label="Scopes it serves">
                <For each={details().scope_paths}>{(path) => <li>{path}</li>}</For>
              </ul>
            </Show>
          </Fact>
        )}
      </Show>
      <Show when={details().source}>
        {(source) => (
          <Fact title="Source">
            <SourceText text={source()} isStop />
          </Fact>
        )}
      </Show>
      <Show when={details().flops !== null}>
        <Fact title="FLOPs">
          <span class="number">
            {format('flops', details().flops)}
            <span class="muted">
              {' '}
              {format('flop_rate', perSecond(details().flops))}, {details().cost_source}
            </span>
          </span>
        </Fact>
      </Show>
      <Show when={details().bytes !== null}>
        <Fact title="Bytes">
          <span class="number">
            {formatBytes(details().bytes)}
            <span class="muted"> {format('bandwidth', perSecond(details().bytes))}</span>
          </span>
        </Fact>
      </Show>
    </dl>
  );
}

/** Related slices and source: nesting, arrows, stack frames. */
function Links(props: DetailsProps) {
  const details = () => props.details;
  return (
    <div class="slice-links">
      <div class="slice-nesting">
        <button disabled={!details().parent} onClick={() => void props.commands.parent()}>
          Enclosing <kbd>↑</kbd>
        </button>
        <button disabled={!details().first_child} onClick={() => void props.commands.child()}>
          Nested <kbd>↓</kbd>
        </button>
        <button onClick={() => void props.commands.neighbor(-1)}>
          Previous <kbd>←</kbd>
        </button>
        <button onClick={() => void props.commands.neighbor(1)}>
          Next <kbd>→</kbd>
        </button>
      </div>
      <Show when={shared()} fallback={<Chain {...props} />}>
        <OwnArrows {...props} />
      </Show>
      <Show when={details().source_stack.length > 0}>
        <h3>
          Source{' '}
          <CopyButton text={() => details().source_stack.join('\n')} tip="Copy the frames">
            Copy
          </CopyButton>
        </h3>
        <ol class="frames mono">
          <For each={details().source_stack}>{(frame) => <Frame frame={frame} />}</For>
        </ol>
      </Show>
      <Show when={shared() === null && details().source}>
        {(source) => <SourceLines session={props.session} source={source()} />}
      </Show>
    </div>
  );
}

/** A function of the stack, with its line as a link to the editor. */
function Frame(props: { frame: string }) {
  const parts = () => frameOf(props.frame);
  return (
    <li>
      <SourceText text={parts().source} isStop /> <span class="muted">{parts().name}</span>
    </li>
  );
}

/** The arrows of the slice itself: a single-file report knows no others. */
function OwnArrows(props: DetailsProps) {
  const details = () => props.details;
  const goTo = (flow: FlowReport) =>
    props.commands.goTo(flow.other, {
      startPs: flow.other_start_ps,
      durationPs: flow.other_duration_ps,
    });
  const sorted = createMemo(() =>
    [...details().flows].sort((one, other) => Number(one.is_outgoing) - Number(other.is_outgoing)),
  );
  return (
    <Show when={sorted().length > 0}>
      <h3>
        Arrows <span class="muted">{formatCount(sorted().length)}</span>
      </h3>
      <ul class="flows">
        <For each={sorted()}>
          {(flow) => (
            <li>
              <button class="flow" onClick={() => void goTo(flow)} data-tip={flow.other_name}>
                <span class="flow-direction">{flow.is_outgoing ? '→' : '←'}</span>
                <span class="flow-kind muted">{flow.kind.replace(/_/g, ' ')}</span>
                <span class="flow-name">{flow.other_name}</span>
                <span class="number muted">{gapText(details(), flow)}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

/** Recorded stats as they are in the file. */
function Stats(props: { details: SliceDetails }) {
  const isRow = () => props.details.slice.track === LAID_TRACK;
  return (
    <div class="slice-stats">
      <h3>
        {isRow() ? 'Row of the query' : 'Recorded stats'} <span class="muted">{props.details.stats.length}</span>
      </h3>
      <Show
        when={props.details.stats.length > 0}
        fallback={<p class="muted">The profiler recorded none for this slice.</p>}
      >
        <table>
          <tbody>
            <For each={props.details.stats}>
              {(stat) => (
                <tr
                  classList={{ 'is-constant': stat.is_constant }}
                  data-tip={stat.is_constant ? 'The same for all slices of this name' : undefined}
                >
                  <th scope="row">{stat.name}</th>
                  <td class="mono">{stat.value}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </div>
  );
}

function Fact(props: { title: string; children: JSX.Element }) {
  return (
    <>
      <dt>{props.title}</dt>
      <dd>{props.children}</dd>
    </>
  );
}

function Text(props: { title: string; text: string | null }) {
  return (
    <Show when={props.text}>{(text) => <Fact title={props.title}>{text()}</Fact>}</Show>
  );
}

/** Time between the cause's end and the effect's start. */
function gapText(details: SliceDetails, flow: FlowReport): string {
  const own = { start: details.start_ps, end: details.start_ps + details.duration_ps };
  const other = {
    start: flow.other_start_ps,
    end: flow.other_start_ps + flow.other_duration_ps,
  };
  const gapPs = flow.is_outgoing ? other.start - own.end : own.start - other.end;
  return gapPs >= 0 ? `after ${formatDuration(gapPs)}` : 'overlaps';
}
