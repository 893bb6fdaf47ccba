/** The name of a track on the page. Pure. */
import type { TrackReport } from '../wire/generated/TrackReport';

/** Threads that the program did not name have an empty name. */
export function titleOfTrack({ name, role }: Pick<TrackReport, 'name' | 'role'>): string {
  if (name !== '') return name;
  return role === 'host_thread' || role === 'python' ? 'unnamed thread' : 'unnamed track';
}
