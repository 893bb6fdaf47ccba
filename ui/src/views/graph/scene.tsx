/** Draws the graph: drag or use the arrow keys to pan, the wheel or + − 0 to zoom. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';

import { largest } from '../../format/largest';
import { formatDuration } from '../../format/numbers';
import { truncateMiddle } from '../../format/text';
import { Icon } from '../../shell/icons';
import type { GraphNode } from '../../wire/generated/GraphNode';
import type { GraphReport } from '../../wire/generated/GraphReport';
import { graphColor } from './classes';
import { pathOf, type LayoutOutput, type SizedNode } from './layout';
import { createLayouter } from './layouter';

/** Pixels of a character of the widest monospace font in use. */
const CHARACTER = 7.3;
const NAME_LENGTH = 30;
const LINE = 15;
const PADDING = 9;

/** The lines of a node: what it is, its shape, its constants, its time. */
export function linesOf(node: GraphNode): string[] {
  const shape = node.shape.replace(/\{[^}]*\}/g, '');
  const lines = [
    truncateMiddle(node.name, NAME_LENGTH),
    truncateMiddle(`${node.opcode} ${shape}`, NAME_LENGTH + 4),
  ];
  for (const constant of node.constants.slice(0, 2)) {
    lines.push(truncateMiddle(constant.replace(/\{[^}]*\} /, ' '), NAME_LENGTH));
  }
  if (node.self_ps !== null) lines.push(formatDuration(node.self_ps));
  return lines;
}

function sized(node: GraphNode): SizedNode {
  const lines = linesOf(node);
  const longest = Math.max(...lines.map((line) => line.length));
  const more = node.hidden_operands + node.hidden_users > 0 ? 24 : 0;
  return {
    id: node.id,
    width: Math.max(90, longest * CHARACTER + 2 * PADDING + 4) + more,
    height: lines.length * LINE + PADDING,
    cluster: node.cluster,
  };
}

/** From this heat on, the text of a node is dark in both themes. */
const HOT_PERCENT = 45;
const heatColor = (percent: number) =>
  `color-mix(in srgb, var(--class-collective) ${percent}%, var(--surface))`;

/** Name and time of an opened fusion, cut to the width of its box. */
function clusterTitle(name: string, fusion: GraphNode | undefined, width: number): string {
  const time = fusion?.self_ps ?? null;
  const room = Math.max(8, Math.floor(width / CHARACTER) - 4);
  const text = time === null ? '' : ` ${formatDuration(time)}`;
  return truncateMiddle(name, Math.max(6, room - text.length)) + text;
}

const hiddenText = (node: GraphNode) =>
  `${node.hidden_operands} operands and ${node.hidden_users} users are not shown`;

interface View {
  x: number;
  y: number;
  scale: number;
}

export function Scene(props: {
  report: GraphReport;
  selected: number | null;
  isHeat: boolean;
  onSelect: (id: number) => void;
  onCenter: (name: string) => void;
}) {
  let frame!: HTMLDivElement;
  const layouter = createLayouter();
  const [layout, setLayout] = createSignal<LayoutOutput>();
  const [view, setView] = createSignal<View>({ x: 0, y: 0, scale: 1 });
  const [drawn, setDrawn] = createSignal<GraphReport>();

  const fit = () => {
    const placed = layout();
    if (!placed) return;
    const { clientWidth: width, clientHeight: height } = frame;
    const scale = Math.min(1, width / placed.width, height / placed.height);
    const center = drawn()?.nodes.find((node) => node.is_center);
    const box = center ? (placed.nodes[center.id] ?? placed.clusters[center.id]) : undefined;
    // Too small to read: center on the op instead of showing all.
    const readable = Math.max(scale, 0.8);
    const middle =
      box && readable > scale
        ? { x: box.x + box.width / 2, y: box.y + box.height / 2 }
        : { x: placed.width / 2, y: placed.height / 2 };
    setView({
      x: width / 2 - middle.x * readable,
      y: height / 2 - middle.y * readable,
      scale: readable,
    });
  };
  const fitAll = () => {
    const placed = layout();
    if (!placed) return;
    const { clientWidth: width, clientHeight: height } = frame;
    const scale = Math.min(1.5, width / placed.width, height / placed.height);
    setView({
      x: (width - placed.width * scale) / 2,
      y: (height - placed.height * scale) / 2,
      scale,
    });
  };
  const zoom = (factor: number, x = frame.clientWidth / 2, y = frame.clientHeight / 2) =>
    setView((now) => {
      const scale = Math.min(4, Math.max(0.05, now.scale * factor));
      const ratio = scale / now.scale;
      return { x: x - (x - now.x) * ratio, y: y - (y - now.y) * ratio, scale };
    });

  createEffect(
    on(
      () => props.report,
      (report) => {
        const input = {
          nodes: report.nodes.map(sized),
          edges: report.edges.map(({ from_id, to_id }) => ({ from: from_id, to: to_id })),
          clusters: report.clusters.map((cluster) => cluster.id),
        };
        layouter.layOut(input, (output) => {
          setDrawn(report);
          setLayout(output);
          fit();
        });
      },
    ),
  );

  onMount(() => {
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = frame.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey || !event.shiftKey) {
        zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
      } else {
        setView((now) => ({ ...now, x: now.x - event.deltaX - event.deltaY }));
      }
    };
    frame.addEventListener('wheel', wheel, { passive: false });
    onCleanup(() => frame.removeEventListener('wheel', wheel));
  });

  const drag = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const start = { x: event.clientX, y: event.clientY, view: view() };
    let isDragging = false;
    const move = (moved: PointerEvent) => {
      const [dx, dy] = [moved.clientX - start.x, moved.clientY - start.y];
      if (!isDragging && Math.abs(dx) + Math.abs(dy) < 4) return;
      if (!isDragging) frame.setPointerCapture(moved.pointerId);
      isDragging = true;
      setView({ ...start.view, x: start.view.x + dx, y: start.view.y + dy });
    };
    const end = () => {
      frame.removeEventListener('pointermove', move);
      frame.removeEventListener('pointerup', end);
      frame.removeEventListener('pointercancel', end);
    };
    frame.addEventListener('pointermove', move);
    frame.addEventListener('pointerup', end);
    frame.addEventListener('pointercancel', end);
  };

  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pan = (x: number, y: number) =>
      setView((now) => ({ ...now, x: now.x + x, y: now.y + y }));
    const actions: Record<string, () => void> = {
      ArrowLeft: () => pan(60, 0),
      ArrowRight: () => pan(-60, 0),
      ArrowUp: () => pan(0, 60),
      ArrowDown: () => pan(0, -60),
      '+': () => zoom(1.25),
      '=': () => zoom(1.25),
      '-': () => zoom(0.8),
      '0': fitAll,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  const hottest = createMemo(() => largest(drawn()?.nodes ?? [], (node) => node.self_ps ?? 0));
  const heat = (node: GraphNode | undefined) =>
    Math.round(85 * ((node?.self_ps ?? 0) / hottest()));
  const fusionOf = (id: number) => drawn()?.nodes.find((node) => node.id === id);

  return (
    <div
      class="graph-scene"
      ref={frame}
      tabindex="0"
      role="application"
      aria-label="Graph: drag or use arrow keys to move, wheel or + and − to zoom, 0 to show all"
      onPointerDown={drag}
      onKeyDown={key}
    >
      <svg width="100%" height="100%" aria-hidden="false">
        <defs>
          <marker
            id="graph-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0,0.5L8,4L0,7.5z" class="graph-arrow" />
          </marker>
        </defs>
        <Show when={layout()}>
          {(placed) => (
            <g transform={`translate(${view().x} ${view().y}) scale(${view().scale})`}>
              <For each={drawn()?.clusters}>
                {(cluster) => (
                  <Show when={placed().clusters[cluster.id]}>
                    {(box) => (
                      <g
                        class="graph-cluster"
                        classList={{ 'is-selected': props.selected === cluster.id }}
                        onClick={() => props.onSelect(cluster.id)}
                      >
                        <rect
                          {...box()}
                          rx="8"
                          style={
                            props.isHeat
                              ? { fill: heatColor(heat(fusionOf(cluster.id))) }
                              : undefined
                          }
                        />
                        <text x={box().x + 8} y={box().y + 13}>
                          {clusterTitle(cluster.name, fusionOf(cluster.id), box().width)}
                        </text>
                      </g>
                    )}
                  </Show>
                )}
              </For>
              <For each={drawn()?.edges}>
                {(edge, index) => (
                  <Show when={placed().edges[index()]}>
                    {(points) => (
                      <path
                        class="graph-edge"
                        classList={{
                          'is-control': edge.is_control,
                          'is-near': props.selected === edge.from_id || props.selected === edge.to_id,
                        }}
                        d={pathOf(points())}
                        marker-end="url(#graph-arrow)"
                        data-tip={edge.is_control ? 'Control dependency, no data' : edge.shape}
                      />
                    )}
                  </Show>
                )}
              </For>
              <For each={drawn()?.nodes}>
                {(node) => (
                  <Show when={placed().nodes[node.id]}>
                    {(box) => (
                      <g
                        class="graph-node"
                        classList={{
                          'is-center': node.is_center,
                          'is-selected': props.selected === node.id,
                          'is-hot': props.isHeat && heat(node) > HOT_PERCENT,
                        }}
                        tabindex="0"
                        role="button"
                        aria-label={`${node.opcode} ${node.name}`}
                        onClick={() => props.onSelect(node.id)}
                        onDblClick={() => props.onCenter(node.name)}
                        onKeyDown={(event) => {
                          if (event.key !== 'Enter') return;
                          event.stopPropagation();
                          if (props.selected === node.id) props.onCenter(node.name);
                          else props.onSelect(node.id);
                        }}
                      >
                        <rect
                          {...box()}
                          rx="5"
                          style={
                            props.isHeat
                              ? { fill: heatColor(heat(node)) }
                              : undefined
                          }
                        />
                        <rect
                          class="graph-strip"
                          x={box().x}
                          y={box().y}
                          width="5"
                          height={box().height}
                          rx="2"
                          style={{ fill: graphColor(node.class) }}
                        />
                        <For each={linesOf(node)}>
                          {(line, index) => (
                            <text
                              classList={{ 'is-name': index() === 0 }}
                              x={box().x + 12}
                              y={box().y + 15 + index() * 15}
                            >
                              {line}
                            </text>
                          )}
                        </For>
                        <Show when={node.hidden_operands + node.hidden_users > 0}>
                          <text
                            class="graph-more"
                            x={box().x + box().width - 5}
                            y={box().y + box().height - 4}
                            text-anchor="end"
                            data-tip={hiddenText(node)}
                          >
                            +{node.hidden_operands + node.hidden_users}
                          </text>
                        </Show>
                      </g>
                    )}
                  </Show>
                )}
              </For>
            </g>
          )}
        </Show>
      </svg>
      <div class="graph-zoom">
        <button aria-label="Zoom in" data-tip="Zoom in (+)" onClick={() => zoom(1.25)}>
          +
        </button>
        <button aria-label="Zoom out" data-tip="Zoom out (−)" onClick={() => zoom(0.8)}>
          −
        </button>
        <button aria-label="Show all" data-tip="Show all (0)" onClick={fitAll}>
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}
