/** Peaks of compute other than the stated one, of the types that ops compute in. Pure. */
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { RooflineRow } from '../../wire/generated/RooflineRow';

/** A flat roof. */
export interface Ceiling {
  /** What is computed in it, such as `fp8` or `f32 as 6 × bf16`. */
  title: string;
  /** FLOP per second. */
  perSecond: number;
}

/** Peaks closer to each other than this are one line. */
const SAME = 0.01;

/** The ceilings of some ops, highest first, without that of the stated peak. */
export function ceilings(
  rows: readonly Pick<RooflineRow, 'operand_type'>[],
  peaks: readonly Pick<RooflinePeak, 'level' | 'operand_type' | 'per_second'>[],
): Ceiling[] {
  const compute = peaks.filter(({ level }) => level === 'compute');
  const known: number[] = [];
  const stated = compute.find(({ operand_type }) => !operand_type)?.per_second;
  if (stated) known.push(stated);
  const found: Ceiling[] = [];
  for (const title of new Set(rows.map(({ operand_type }) => operand_type))) {
    const perSecond = peakOf(title, compute);
    const isNew = known.every((other) => Math.abs(other - perSecond) > SAME * other);
    if (!isNew || perSecond <= 0) continue;
    known.push(perSecond);
    found.push({ title, perSecond });
  }
  return found.sort((one, other) => other.perSecond - one.perSecond);
}

/** The peak of what is computed `f32 as 6 × bf16`: a sixth of that of bf16. Zero if it is unknown. */
function peakOf(
  operandType: string,
  compute: readonly Pick<RooflinePeak, 'operand_type' | 'per_second'>[],
): number {
  const [, passes, type] = /^(?:.* as )?(?:(\d+) × )?(\S+)$/.exec(operandType) ?? [];
  if (type === undefined) return 0;
  const peak = compute.find(({ operand_type }) => operand_type === type)?.per_second ?? 0;
  return peak / Number(passes ?? 1);
}
