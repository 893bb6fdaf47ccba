/** The parts of a host's mean step. Pure. */
import { PARTS } from '../../format/palette';
import type { HostRow } from '../../wire/generated/HostRow';

/** Copies of every direction are one part here. */
const COPIES = 'copies';

interface HostPart {
  part: string;
  title: string;
  colour: string;
}

/** In the order in which they stack. */
export const HOST_PARTS = PARTS.flatMap((part): HostPart[] => {
  if (part.part === 'host_to_device') return [{ ...part, part: COPIES, title: 'Copies' }];
  return part.part === 'device_to_host' || part.part === 'device_to_device' ? [] : [part];
});

/** Mean time of a part; copies are what the recorded parts leave of the step. */
export function partOf(row: HostRow, part: string): number {
  const own = (name: string) => (row[`${name}_ps` as keyof HostRow] ?? 0) as number;
  if (part !== COPIES) return own(part);
  if (row.step_ps === null) return 0;
  const others = HOST_PARTS.filter((each) => each.part !== COPIES);
  const rest = row.step_ps - others.reduce((sum, each) => sum + own(each.part), 0);
  // Means are rounded to picoseconds, each on its own.
  return rest > others.length ? rest : 0;
}
