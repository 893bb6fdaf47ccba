/** Devices as bars. Pure. */
import { CLASS_COLORS } from '../../format/palette';
import type { CollectiveDeviceRow } from '../../wire/generated/CollectiveDeviceRow';

/** Exposed communication. */
export const EXPOSED_COLOR = CLASS_COLORS.collective;
/** Communication hidden behind computation: the same hue, fainter. */
export const HIDDEN_COLOR = '#e08b1f66';

export type DeviceBar = CollectiveDeviceRow & { title: string };

/** The devices in order; titles include the host only if there are several. */
export function bars(devices: readonly CollectiveDeviceRow[]): DeviceBar[] {
  const hosts = new Set(devices.map((row) => row.host));
  return devices.map((row) => ({
    ...row,
    title: hosts.size > 1 ? `${row.host}/${row.device}` : row.device,
  }));
}
