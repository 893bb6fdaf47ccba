/** Which warnings of a session are problems. Pure. */
import type { SessionWarning } from '../wire/generated/SessionWarning';

/** Remarks on how the files were read: no figure is wrong because of them. */
const HARMLESS = ['repaired', 'missing'];

/** Whether a warning needs attention; the others are notes of the overview. */
export const isProblem = ({ kind }: Pick<SessionWarning, 'kind'>): boolean => !HARMLESS.includes(kind);
