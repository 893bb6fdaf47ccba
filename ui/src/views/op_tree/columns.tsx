/** Columns of the tree of ops and of the list of wasteful ops. */
import { Show } from 'solid-js';

import { formatRatio } from '../../format/numbers';
import { useColor } from '../../format/heat';
import { classColor, classTitle } from '../../format/palette';
import { Icon } from '../../shell/icons';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { Column } from '../../widgets/table/rows';
import type { Node as TreeNode } from '../../widgets/tree';
import type { OpTreeRow } from '../../wire/generated/OpTreeRow';
import type { OpTreeWaste } from '../../wire/generated/OpTreeWaste';
import { declared } from '../../widgets/table/declared';

export type Node = TreeNode<OpTreeRow>;

/** What the filter searches. */
export const SEARCHED = declared<Node>('op_tree.rows', [
  { key: 'name', width: 0, value: (node) => node.row.name },
  { key: 'category', width: 0, value: (node) => node.row.category },
  { key: 'scope', title: 'Scope', width: 0, value: (node) => node.row.scope },
  { key: 'source', width: 0, value: (node) => node.row.source },
]);

const isTimed = (row: OpTreeRow) => row.kind !== 'instruction';

function UseCell(props: { ratio: number | null; text: string }) {
  return (
    <Show when={props.ratio !== null} fallback={<span class="table-missing">–</span>}>
      <ShareCell ratio={props.ratio} text={props.text} color={useColor(props.ratio ?? 0)} />
    </Show>
  );
}

/** The columns, with the share named after what it is a share of. */
function named<Row>(columns: Column<Row>[], hasIdle: boolean, figure: string): Column<Row>[] {
  const ofOps = { title: 'Of ops', figure };
  return columns.map((column) =>
    column.key === 'ratio' && !hasIdle ? { ...column, ...ofOps } : column,
  );
}

export function treeColumns(
  open: () => ReadonlySet<number>,
  toggle: (node: Node) => void,
  hasIdle: boolean,
): Column<Node>[] {
  const columns = declared<Node>('op_tree.rows', [
    {
      key: 'name',
      width: 300,
      value: (node) => node.row.name,
      isCode: true,
      cell: (node) => <NodeName node={node} isOpen={open().has(node.index)} toggle={toggle} />,
    },
    {
      key: 'self_ps',
      width: 92,
      scale: 'time',
      value: (node) => (isTimed(node.row) ? node.row.self_ps : null),
    },
    {
      key: 'ratio',
      width: 132,
      value: (node) => (isTimed(node.row) ? node.row.ratio : null),
      cell: (node, scale) => (
        <Show when={isTimed(node.row)} fallback={<span class="muted">in fusion</span>}>
          <ShareCell
            ratio={node.row.ratio}
            text={scale.text(node.row.ratio)}
            color={node.row.class ? classColor(node.row.class) : 'var(--text-faint)'}
          />
        </Show>
      ),
    },
    {
      key: 'wasted_ps',
      width: 92,
      scale: 'time',
      value: (node) => node.row.wasted_ps,
      isOptional: true,
    },
    {
      key: 'best_ratio',
      width: 132,
      value: (node) => node.row.best_ratio,
      cell: (node, scale) => (
        <UseCell ratio={node.row.best_ratio} text={scale.text(node.row.best_ratio)} />
      ),
      isOptional: true,
    },
    {
      key: 'bound_by',
      width: 88,
      value: (node) => node.row.bound_by,
      isOptional: true,
    },
    {
      key: 'occurrences',
      width: 84,
      value: (node) => node.row.occurrences,
    },
    {
      key: 'flop_rate',
      width: 112,
      value: (node) => node.row.flop_rate,
      isOptional: true,
    },
    {
      key: 'bandwidth',
      width: 118,
      value: (node) => node.row.bandwidth,
      isOptional: true,
    },
    {
      key: 'source',
      width: 160,
      value: (node) => node.row.source,
      cell: (node) => <SourceText text={node.row.source} />,
      isOptional: true,
    },
    {
      key: 'path',
      width: 0,
      value: (node) => node.row.path,
      isExportOnly: true,
    },
  ]);
  return named(columns, hasIdle, 'op_tree.of_ops');
}

function NodeName(props: { node: Node; isOpen: boolean; toggle: (node: Node) => void }) {
  const row = () => props.node.row;
  return (
    <span class="op-tree-name" style={{ 'padding-left': `${row().depth * 16}px` }}>
      <button
        class="quiet op-tree-fold"
        classList={{ 'is-open': props.isOpen, 'is-leaf': row().child_count === 0 }}
        aria-label={props.isOpen ? 'Fold' : 'Unfold'}
        tabindex="-1"
        onClick={(event) => {
          event.stopPropagation();
          props.toggle(props.node);
        }}
      >
        <Icon name="right" />
      </button>
      <Show when={row().class}>
        <span
          class="swatch"
          style={{ background: classColor(row().class) }}
          data-tip={classTitle(row().class)}
        />
      </Show>
      <Middle text={row().name} isCode={row().op !== ''} />
      <Show when={row().duplicate_count > 1}>
        <span class="op-tree-times" data-figure="op_tree.rows.duplicate_count">
          ×{row().duplicate_count}
        </span>
      </Show>
      <Show when={row().kind === 'instruction'}>
        <span class="muted op-tree-times">{row().category}</span>
      </Show>
    </span>
  );
}

export function wasteColumns(hasIdle: boolean): Column<OpTreeWaste>[] {
  const columns = declared<OpTreeWaste>('op_tree.wasted', [
    {
      key: 'name',
      width: 300,
      value: (row) => row.name,
      isCode: true,
      cell: (row) => (
        <span class="op-tree-name">
          <span class="swatch" style={{ background: classColor(row.class) }} />
          <Middle text={row.name} isCode />
          <Show when={row.duplicate_count > 1}>
            <span class="op-tree-times">×{row.duplicate_count}</span>
          </Show>
        </span>
      ),
    },
    {
      key: 'wasted_ps',
      width: 96,
      scale: 'time',
      value: (row) => row.wasted_ps,
    },
    {
      key: 'ratio',
      width: 140,
      value: (row) => row.ratio,
      cell: (row, scale) => (
        <ShareCell ratio={row.ratio} text={scale.text(row.ratio)} color={useColor(0)} />
      ),
    },
    {
      key: 'self_ps',
      width: 96,
      scale: 'time',
      value: (row) => row.self_ps,
    },
    {
      key: 'best_ratio',
      width: 140,
      value: (row) => row.best_ratio,
      cell: (row) => <UseCell ratio={row.best_ratio} text={formatRatio(row.best_ratio)} />,
    },
    { key: 'bound_by', width: 96, value: (row) => row.bound_by },
    { key: 'category', width: 150, value: (row) => row.category },
    {
      key: 'source',
      width: 170,
      value: (row) => row.source,
      cell: (row) => <SourceText text={row.source} />,
      isOptional: true,
    },
  ]);
  return named(columns, hasIdle, 'op_tree.wasted_of_ops');
}
