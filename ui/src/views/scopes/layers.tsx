/** Layers: what all of them do, folded into one, and each on its own. */
import { Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { escapeRegex } from '../../format/text';
import { select } from '../../shell/state';
import { EmptyState } from '../../widgets/empty';
import { declared } from '../../widgets/table/declared';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { localTab, Tabbed } from '../../widgets/tabs/tabbed';
import type { FoldedRow } from '../../wire/generated/FoldedRow';
import type { LayerRow } from '../../wire/generated/LayerRow';
import type { ScopesReport } from '../../wire/generated/ScopesReport';

const FOLDED = declared<FoldedRow>('scopes.folded', [
  {
    key: 'path',
    width: 320,
    value: (row) => row.path,
    cell: (row) => (
      <span
        class="mono"
        style={{ 'padding-left': `${row.depth * 16}px` }}
        data-tip={row.path}
      >
        {row.name}
      </span>
    ),
  },
  { key: 'layer_count', width: 76, value: (row) => row.layer_count },
  { key: 'total_ps', width: 96, scale: 'time', value: (row) => row.total_ps },
  { key: 'ratio', width: 76, value: (row) => row.ratio },
  { key: 'mean_ps', width: 120, scale: 'time', value: (row) => row.mean_ps },
  { key: 'min_ps', width: 90, scale: 'time', value: (row) => row.min_ps },
  { key: 'max_ps', width: 90, scale: 'time', value: (row) => row.max_ps },
  { key: 'times_least', width: 84, value: (row) => row.times_least },
  { key: 'max_layer', width: 160, value: (row) => row.max_layer },
  { key: 'forward_ps', width: 96, scale: 'time', value: (row) => row.forward_ps },
  { key: 'backward_ps', width: 100, scale: 'time', value: (row) => row.backward_ps },
  { key: 'times_expected', width: 120, value: (row) => row.times_expected, isOptional: true },
  { key: 'flops', width: 100, value: (row) => row.flops, isOptional: true },
]);

const LAYERS = declared<LayerRow>('scopes.layers', [
  { key: 'path', width: 320, value: (row) => row.path },
  { key: 'total_ps', width: 96, scale: 'time', value: (row) => row.total_ps },
  { key: 'times_median', width: 110, value: (row) => row.times_median },
  { key: 'is_outlier', width: 80, value: (row) => (row.is_outlier ? 'outlier' : null) },
  { key: 'forward_ps', width: 96, scale: 'time', value: (row) => row.forward_ps },
  { key: 'backward_ps', width: 100, scale: 'time', value: (row) => row.backward_ps },
  {
    key: 'rematerialized_ps',
    width: 130,
    scale: 'time',
    value: (row) => row.rematerialized_ps || null,
    isOptional: true,
  },
  { key: 'flops', width: 100, value: (row) => row.flops, isOptional: true },
  { key: 'expected_ps', width: 100, scale: 'time', value: (row) => row.expected_ps, isOptional: true },
  { key: 'times_expected', width: 120, value: (row) => row.times_expected, isOptional: true },
]);

const COMPARE = {
  folded: compareTable('scopes.folded', (report: ScopesReport) => report.folded),
  layers: compareTable('scopes.layers', (report: ScopesReport) => report.layers),
};

export function Layers(props: { report: ScopesReport; name: string }) {
  const folded = localTableState(null);
  const layers = localTableState(null);
  return (
    <Show
      when={props.report.layers.length > 0}
      fallback={
        <EmptyState title="No repeated layers" code={'with jax.named_scope(f"layer_{i}"):\n    …'}>
          Scopes side by side that differ only by a number, such as layer_0 and layer_1, are folded
          here. Named scopes make them:
        </EmptyState>
      }
    >
      <Tabbed
        label="Layers"
        hasHeader
        state={localTab()}
        tabs={[
          {
            name: 'folded',
            title: 'All layers as one',
            count: () => props.report.folded.length,
            has: () => true,
            body: () => (
              <DataTable
                rows={props.report.folded}
                columns={FOLDED}
                state={folded}
                noun="scope"
                compare={COMPARE.folded}
                fileName={`stepscope-${props.name}-folded-layers`}
                isFilling
              />
            ),
          },
          {
            name: 'layers',
            title: 'Layer by layer',
            count: () => props.report.layers.length,
            has: () => true,
            body: () => (
              <DataTable
                rows={props.report.layers}
                columns={LAYERS}
                state={layers}
                noun="layer"
                compare={COMPARE.layers}
                fileName={`stepscope-${props.name}-layers`}
                isFilling
                onRow={(row) => select('match', escapeRegex(row.path))}
                tools={<span class="muted">Click a layer to select only its ops in every view</span>}
              />
            ),
          },
        ]}
      />
    </Show>
  );
}
