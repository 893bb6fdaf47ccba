/** What is known of a session in the list: much of it only once it was opened. Pure. */
import type { SessionSummary } from '../../wire/types';

/** Whether the session is or was fully open; only then are its warnings known. */
export const isKnown = (session: SessionSummary): boolean =>
  session.state === 'open' ||
  (session.state !== 'in_parts' && (session.devices !== '' || session.duration_ps !== null));

/** The groups of a session by a text that is known only of those opened. */
export function groupsOf(session: SessionSummary, text: string): string[] {
  if (text !== '' || isKnown(session)) return [];
  return [session.state === 'failed' ? 'cannot be read' : 'not opened'];
}
