/** Columns of the table of kernels. */
import { attributionText } from '../../format/attribution';
import { formatDuration } from '../../format/numbers';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import type { KernelRow } from '../../wire/generated/KernelRow';
import { declared } from '../../widgets/table/declared';

/** The name as C++ writes it, whether or not it was recorded mangled. */
export const cppName = ({ name, demangled }: KernelRow): string => demangled || name;

export function kernelColumns(totalPs: number): Column<KernelRow>[] {
  return declared<KernelRow>('kernels.rows', [
    {
      key: 'name',
      width: 260,
      value: cppName,
      isCode: true,
      cell: (row) => <Middle text={cppName(row)} isCode />,
    },
    // Kernels of several ops may have the same name.
    {
      key: 'op',
      width: 170,
      value: (row) => row.op,
      isCode: true,
      cell: (row) => <Middle text={row.op || '–'} isCode />,
      isOptional: true,
    },
    { key: 'total_ps', width: 92, value: (row) => row.total_ps },
    {
      key: 'total_ratio',
      title: 'Share',
      figure: '',
      width: 132,
      kind: 'ratio',
      value: (row) => (totalPs > 0 ? row.total_ps / totalPs : null),
      cell: (row, scale) => {
        const ratio = row.total_ps / Math.max(1, totalPs);
        return <ShareCell ratio={ratio} text={scale.text(ratio)} />;
      },
    },
    {
      key: 'occurrences',
      width: 78,
      value: (row) => row.occurrences,
    },
    {
      key: 'mean_ps',
      width: 86,
      scale: 'launch',
      value: (row) => row.mean_ps,
    },
    {
      key: 'min_ps',
      width: 86,
      scale: 'launch',
      value: (row) => row.min_ps,
    },
    {
      key: 'max_ps',
      width: 86,
      scale: 'launch',
      value: (row) => row.max_ps,
    },
    {
      key: 'latency_mean_ps',
      width: 92,
      value: (row) => row.latency_mean_ps,
      cell: (row, scale) => (
        <span
          data-tip={
            row.latency_mean_ps === null
              ? undefined
              : `median ${formatDuration(row.latency_p50_ps)}, p99 ${formatDuration(row.latency_p99_ps)}, max ${formatDuration(row.latency_max_ps)}`
          }
        >
          {scale.text(row.latency_mean_ps)}
        </span>
      ),
      isOptional: true,
    },
    {
      key: 'matrix_unit',
      width: 96,
      value: (row) => (row.matrix_unit === 'unknown' ? '' : row.matrix_unit),
      cell: (row) => (
        <span
          classList={{ 'table-missing': row.matrix_unit === 'unknown' }}
          data-tip={row.matrix_rule || undefined}
        >
          {row.matrix_unit === 'unknown' ? '–' : row.matrix_unit}
        </span>
      ),
      isOptional: true,
    },
    {
      key: 'occupancy',
      width: 104,
      value: (row) => row.occupancy,
      cell: (row, scale) => (
        <span data-tip={row.occupancy_source === 'derived' ? 'Derived from the launch' : undefined}>
          {scale.text(row.occupancy)}
        </span>
      ),
      isOptional: true,
    },
    {
      key: 'occupancy_limit',
      width: 112,
      value: (row) => row.occupancy_limit,
      isOptional: true,
    },
    {
      key: 'registers',
      width: 86,
      value: (row) => row.registers,
      isOptional: true,
    },
    {
      key: 'shared_bytes',
      width: 96,
      value: (row) => row.shared_bytes,
      isOptional: true,
    },
    { key: 'grid', width: 104, value: (row) => row.grid, isOptional: true },
    { key: 'block', width: 90, value: (row) => row.block, isOptional: true },
    {
      key: 'attribution',
      width: 150,
      value: (row) => attributionText(row.attribution),
      isOptional: true,
    },
    { key: 'stream', width: 110, value: (row) => row.stream, isOptional: true },
    { key: 'device', width: 150, value: (row) => row.device, isOptional: true },
    { key: 'program', width: 180, value: (row) => row.program, isOptional: true },
  ]);
}
