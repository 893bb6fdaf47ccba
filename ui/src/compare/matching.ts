/**
 * Matches ops of the session with ops of the baseline. Names of fusions differ from one compilation
 * to the next, so the comparison's report decides. Pure.
 */
import { alignSteps } from './align';
import type { ComparedOp } from '../wire/generated/ComparedOp';
import type { ComparedOpSide } from '../wire/generated/ComparedOpSide';
import type { Evidence } from '../wire/generated/Evidence';
import type { PartKind } from '../wire/generated/PartKind';
import type { CompareReport } from '../wire/generated/CompareReport';

export type Side = 'baseline' | 'session';

export interface Matching {
  /** A key that both sides of an op share; an op without a match has a key that only its side has. */
  key: (side: Side, programId: string, name: string) => string;
  /** The op with its counterpart; undefined if the comparison does not list it. */
  opOf: (side: Side, programId: string, name: string) => ComparedOp | undefined;
  /** Evidence for the step, an op, all ops and a part of the step; undefined if unknown. */
  stepEvidence: Evidence | undefined;
  opEvidence: (programId: string, name: string) => Evidence | undefined;
  opsEvidence: Evidence | undefined;
  partEvidence: (part: PartKind) => Evidence | undefined;
  /** A key that both sides of one step share. */
  stepKey: (side: Side, step: number) => string;
  /** Steps of the session ÷ steps of the baseline; 1 where either has none. */
  stepRatio: number;
}

/** Matches by the report; without one, ops with the same name are the same op. */
export function matchingOf(report: CompareReport | undefined): Matching {
  const ops = (report?.ops ?? []).filter((op) => op.session === 1);
  const known: Record<Side, Map<string, ComparedOp>> = { baseline: new Map(), session: new Map() };
  for (const op of ops) {
    if (op.baseline) known.baseline.set(nameOf(op.baseline), op);
    if (op.other) known.session.set(nameOf(op.other), op);
  }
  const opOf = (side: Side, programId: string, name: string) =>
    known[side].get(`${programId}/${name}`);
  const [baseline, session] = report?.sessions ?? [];
  const stepRatio =
    baseline && session && baseline.step_count > 0 && session.step_count > 0
      ? session.step_count / baseline.step_count
      : 1;
  const [steps, others] = [session?.steps ?? [], baseline?.steps ?? []];
  const stepOfOther = new Map<number, number>();
  alignSteps(steps, others).forEach((position, index) => {
    const [step, other] = [steps[index], others[position]];
    if (step && other) stepOfOther.set(other.step, step.step);
  });
  return {
    opOf,
    stepRatio,
    stepKey: (side, step) => {
      if (side === 'session' || !report) return `step ${step}`;
      const own = stepOfOther.get(step);
      return own === undefined ? `step ${step} of the baseline` : `step ${own}`;
    },
    key: (side, programId, name) => {
      const op = opOf(side, programId, name);
      if (!op) return `name ${name}`;
      return op.baseline && op.other ? `op ${op.index}` : `${side} ${programId}/${name}`;
    },
    stepEvidence: report?.differences[0]?.step?.evidence,
    opEvidence: (programId, name) => opOf('session', programId, name)?.time.evidence,
    partEvidence: (part) =>
      report?.differences[0]?.parts.find((each) => each.part === part)?.time.evidence,
    opsEvidence: strongest(ops.map((op) => op.time.evidence)),
  };
}

/** The evidence for a group of ops: it is beyond noise if that of any op is. */
export function strongest(found: Iterable<Evidence | undefined>): Evidence | undefined {
  let most: Evidence | undefined;
  for (const evidence of found) {
    if (evidence === 'beyond_noise') return evidence;
    if (evidence === 'within_noise' || most === undefined) most = evidence ?? most;
  }
  return most;
}

function nameOf(side: ComparedOpSide): string {
  return `${side.program_id}/${side.name}`;
}
