/** Details of the selected instruction, next to the graph. */
import { createSignal, For, Show, type JSX } from 'solid-js';

import {
  format,
  formatBytes,
  formatCount,
  formatDuration,
} from '../../format/numbers';
import { escapeRegex } from '../../format/text';
import { hrefTo } from '../../shell/state';
import { formatRange, formatSliceRef } from '../../timeline/address';
import { CodeBlock, CopyButton } from '../../widgets/copy';
import { SourceText } from '../../widgets/source-text';
import type { GraphNode } from '../../wire/generated/GraphNode';
import type { GraphReport } from '../../wire/generated/GraphReport';
import { graphColor, graphTitle } from './classes';
import { Kernel } from './kernel';

/** Number of names of a list that are shown at first. */
const NAMES = 12;

/** The URL of an instruction's slice in the timeline, with twice its length on both sides. */
export function timelineHref(node: GraphNode): string | null {
  if (node.slice === null || node.slice_start_ps === null) return null;
  const length = Math.max(1, node.slice_duration_ps ?? 0);
  const window = formatRange({
    startPs: Math.max(0, node.slice_start_ps - 2 * length),
    endPs: node.slice_start_ps + 3 * length,
  });
  return hrefTo({ view: 'timeline', params: { slice: formatSliceRef(node.slice), window } });
}

export function NodeDetails(props: {
  report: GraphReport;
  node: GraphNode;
  onCenter: (name: string) => void;
}) {
  const node = () => props.node;
  const isCenter = () => node().is_center;
  const details = () => (isCenter() ? props.report.details : null);
  const kernel = () => props.report.kernels.find((kernel) => kernel.op === node().name);
  return (
    <aside class="card graph-details" aria-label="Instruction">
      <header>
        <span class="swatch" style={{ background: graphColor(node().class) }} />
        <h2>{graphTitle(node().class)}</h2>
        <span class="muted">{node().opcode}</span>
      </header>
      <p class="mono graph-name">{node().name}</p>
      <div class="graph-actions">
        <Show when={!isCenter()}>
          <button data-tip="Or double-click the node" onClick={() => props.onCenter(node().name)}>
            Center here
          </button>
        </Show>
        <Show when={timelineHref(node())}>
          {(href) => (
            <a class="button" href={href()} data-tip="Show its longest slice">
              Timeline
            </a>
          )}
        </Show>
        <Show when={node().self_ps !== null}>
          <a
            class="button"
            href={hrefTo({ view: 'ops', params: { q: `^${escapeRegex(node().name)}$` } })}
            data-tip="Its row in the table of ops"
          >
            Ops
          </a>
        </Show>
        <CopyButton text={() => node().name} tip="Copy the name">
          Copy name
        </CopyButton>
      </div>
      <dl>
        <Line title="Self" figure="graph.nodes.self_ps">
          {node().self_ps === null ? 'not executed on its own' : formatDuration(node().self_ps)}
        </Line>
        <Show when={node().occurrences !== null}>
          <Line title="Count" figure="graph.nodes.occurrences">
            {formatCount(node().occurrences)}
          </Line>
        </Show>
        <Line title="Work" figure="graph.nodes.flops">
          {format('flops', node().flops)}
        </Line>
        <Line title="Bytes moved" figure="graph.nodes.bytes">
          {formatBytes(node().bytes)}
        </Line>
        <Line title="Value" figure="graph.nodes.output_bytes">
          {formatBytes(node().output_bytes)}
        </Line>
        <Line title="Shape" isLong>
          <code>{node().shape}</code>
        </Line>
        <Show when={node().global_shape}>
          <Line title="Global shape" figure="graph.nodes.global_shape" isLong>
            <code>{node().global_shape}</code>
          </Line>
          <Line title="Partition" figure="graph.nodes.partition" isLong>
            <code>{node().partition}</code>
          </Line>
        </Show>
        <Line title="Category" isLong>
          {node().category}
        </Line>
        <Show when={node().sharding}>
          <Line title="Sharding" isLong>
            <code>{node().sharding}</code>
          </Line>
        </Show>
        <Line title="Scope" isLong>
          <Show when={node().scope_paths.length > 0} fallback={node().scope || '–'}>
            <ul class="plain-list" aria-label="Scopes it serves">
              <For each={node().scope_paths}>{(path) => <li>{path}</li>}</For>
            </ul>
          </Show>
        </Line>
        <Line title="Source" isLong>
          <SourceText text={node().source} isStop />
        </Line>
        <Line title="Computation" isLong>
          {node().computation}
        </Line>
        <Show when={node().constants.length > 0}>
          <Line title="Constants" isLong>
            <code>{node().constants.join('\n')}</code>
          </Line>
        </Show>
      </dl>
      <Show when={kernel()}>{(kernel) => <Kernel kernel={kernel()} />}</Show>
      <Show
        when={details()}
        fallback={<p class="muted">Center the graph here to see its HLO text, callers and call stack.</p>}
      >
        {(own) => (
          <>
            <HloText short={own().text} long={own().long_text} />
            <Names title="Called by" names={own().callers} onCenter={props.onCenter} />
            <Names title="Operands" names={own().operands} onCenter={props.onCenter} />
            <Names title="Users" names={own().users} onCenter={props.onCenter} />
            <Show when={own().kernel_text}>
              <details open>
                <summary>
                  Text of the kernel <span class="muted">{own().kernel_form}</span>
                </summary>
                <CodeBlock code={own().kernel_text} />
              </details>
            </Show>
            <Show when={own().backend_config}>
              <details>
                <summary>Backend configuration</summary>
                <CodeBlock code={own().backend_config} />
              </details>
            </Show>
            <Show when={own().frontend_attributes.length > 0}>
              <details>
                <summary>Frontend attributes</summary>
                <CodeBlock code={own().frontend_attributes.join('\n')} />
              </details>
            </Show>
            <Show when={own().stack.length > 0}>
              <details>
                <summary>Call stack</summary>
                <CodeBlock code={own().stack.join('\n')} />
              </details>
            </Show>
          </>
        )}
      </Show>
    </aside>
  );
}

function HloText(props: { short: string; long: string }) {
  const [isLong, setLong] = createSignal(false);
  return (
    <section class="graph-hlo">
      <header>
        <h3>HLO</h3>
        <span class="segmented">
          <button aria-pressed={!isLong()} onClick={() => setLong(false)}>
            Short
          </button>
          <button aria-pressed={isLong()} onClick={() => setLong(true)}>
            Long
          </button>
        </span>
      </header>
      <CodeBlock code={isLong() ? props.long : props.short} />
    </section>
  );
}

function Names(props: { title: string; names: string[]; onCenter: (name: string) => void }) {
  const [isWhole, setWhole] = createSignal(false);
  const shown = () => (isWhole() ? props.names : props.names.slice(0, NAMES));
  return (
    <Show when={props.names.length > 0}>
      <section class="graph-names">
        <h3>
          {props.title} <span class="muted">{formatCount(props.names.length)}</span>
        </h3>
        <ul>
          <For each={shown()}>
            {(name) => (
              <li>
                <button class="quiet mono" onClick={() => props.onCenter(name)}>
                  {name}
                </button>
              </li>
            )}
          </For>
        </ul>
        <Show when={shown().length < props.names.length}>
          <button class="quiet" onClick={() => setWhole(true)}>
            Show all {formatCount(props.names.length)}
          </button>
        </Show>
      </section>
    </Show>
  );
}

function Line(props: { title: string; figure?: string; isLong?: boolean; children: JSX.Element }) {
  return (
    <div classList={{ 'is-long': props.isLong ?? false }}>
      <dt data-figure={props.figure}>{props.title}</dt>
      <dd class="number">{props.children}</dd>
    </div>
  );
}
