/** The parts of a host's mean step. Pure. */
import { PARTS } from '../../format/palette';
import type { HostRow } from '../../wire/generated/HostRow';

interface HostPart {
  part: string;
  title: string;
  color: string;
}

/** In stacking order; copies in all directions are one part here. */
export const HOST_PARTS = PARTS.flatMap((part): HostPart[] => {
  if (part.part === 'host_to_device') return [{ ...part, part: 'copies', title: 'Copies' }];
  return part.part === 'device_to_host' || part.part === 'device_to_device' ? [] : [part];
});

/** Mean time of a part. */
export const partOf = (row: HostRow, part: string): number =>
  (row[`${part}_ps` as keyof HostRow] ?? 0) as number;
