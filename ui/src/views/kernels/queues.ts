/** Which launch queues come first. Pure. */
import type { LaunchDevice } from '../../wire/generated/LaunchDevice';

/** The devices to which most was launched first; of equal ones, in the order of the report. */
export const mostLaunched = <Row extends Pick<LaunchDevice, 'launched'>>(
  devices: readonly Row[],
): readonly Row[] => [...devices].sort((one, other) => other.launched - one.launched);
