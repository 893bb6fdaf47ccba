/** Which allocator the page shows first. Pure. */
import type { AllocatorRow } from '../../wire/generated/AllocatorRow';

/** Devices that handed out less than this share of what the busiest one did are idle. */
const WORKED_RATIO = 0.01;

/** The fullest memory of a device that worked; without one, the fullest memory of any kind. */
export function mostTelling(rows: readonly AllocatorRow[]): AllocatorRow | undefined {
  const devices = rows.filter((row) => row.device);
  const most = devices.reduce((bytes, row) => Math.max(bytes, row.allocated_bytes), 0);
  const worked = devices.filter((row) => row.allocated_bytes >= most * WORKED_RATIO);
  const among = worked.length > 0 ? worked : rows;
  return among.reduce<AllocatorRow | undefined>(
    (first, row) => (first && (first.peak_ratio ?? 0) >= (row.peak_ratio ?? 0) ? first : row),
    undefined,
  );
}
