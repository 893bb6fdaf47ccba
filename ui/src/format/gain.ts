/** How the gain of a finding is told. */
import type { AdviceFinding } from '../wire/generated/AdviceFinding';

/** A replay that may also save less than this share of what it says is told as a bound. */
const FIRM = 0.5;

/**
 * `saves`, or `up to` where the gain was not replayed or the recording leaves open whether it is that
 * large. The engine has the same rule for its texts.
 */
export function gainWord(finding: AdviceFinding): 'saves' | 'up to' {
  const gain = finding.gain_ps_per_step ?? 0;
  const low = finding.low_gain_ps_per_step ?? gain;
  return finding.is_replayed && low >= FIRM * gain ? 'saves' : 'up to';
}
