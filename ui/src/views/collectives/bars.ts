/** Devices as bars. Pure, so that tests need no page. */
import { CLASS_COLORS } from '../../format/palette';
import type { CollectiveDeviceRow } from '../../wire/generated/CollectiveDeviceRow';

/** Exposed communication. */
export const EXPOSED_COLOR = CLASS_COLORS.collective;
/** Communication behind computation: the same hue, fainter. */
export const HIDDEN_COLOR = '#e08b1f66';

/** More devices than this are not told apart in bars: those with the most exposed time stay. */
const MOST = 16;

export type DeviceBar = CollectiveDeviceRow & { title: string };

/** The devices to draw, in their order, named as briefly as they can be told apart. */
export function bars(devices: readonly CollectiveDeviceRow[]): DeviceBar[] {
  const hosts = new Set(devices.map((row) => row.host));
  const least = [...devices].sort((one, other) => other.exposed_ps - one.exposed_ps)[MOST - 1];
  return devices
    .filter((row) => least === undefined || row.exposed_ps >= least.exposed_ps)
    .slice(0, MOST)
    .map((row) => ({ ...row, title: hosts.size > 1 ? `${row.host}/${row.device}` : row.device }));
}
