/** Which findings the overview lists below the first one. Pure. */
import type { AdviceFinding } from '../../wire/generated/AdviceFinding';
import type { Severity } from '../../wire/generated/Severity';
import type { VerdictKind } from '../../wire/generated/VerdictKind';

/** The sign of a finding, as in Advice. */
export const SIGN_OF: Record<Severity, VerdictKind | null> = {
  bad: 'bad',
  warning: 'warning',
  info: null,
};

const SHOWN = 2;

/** What is wrong with the capture is said above the figures, and in the card about the capture. */
const ABOUT_CAPTURE = 'capture_quality';

/** The next findings about the program; the headline shows the first of all. */
export const nextOf = <Finding extends Pick<AdviceFinding, 'id'>>(
  findings: readonly Finding[],
): Finding[] =>
  findings
    .slice(1)
    .filter(({ id }) => id !== ABOUT_CAPTURE)
    .slice(0, SHOWN);
