/** Chains of arrows through the selected slice, as arrows on the tracks and as text. */
import { formatDuration } from '../format/numbers';
import type { ChainReport } from '../wire/generated/ChainReport';
import type { ChainSlice } from '../wire/generated/ChainSlice';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';

/** One end of an arrow. */
export interface ArrowEnd {
  ref: SliceRefReport;
  startPs: number;
  endPs: number;
}

export interface Arrow {
  kind: string;
  from: ArrowEnd;
  to: ArrowEnd;
  /** How many hops away from the selected slice, from 1. */
  distance: number;
}

/** The arrows of a selected slice: over several hops if these are known, otherwise its own. */
export function arrowsOf(details: SliceDetails, chain: ChainReport | null): Arrow[] {
  if (chain && chain.slices.length > 1) return arrowsOfChain(chain);
  const own = {
    ref: details.slice,
    startPs: details.start_ps,
    endPs: details.start_ps + details.duration_ps,
  };
  return details.flows.map((flow) => {
    const other = {
      ref: flow.other,
      startPs: flow.other_start_ps,
      endPs: flow.other_start_ps + flow.other_duration_ps,
    };
    const [from, to] = flow.is_outgoing ? [own, other] : [other, own];
    return { kind: flow.kind, from, to, distance: 1 };
  });
}

function arrowsOfChain(chain: ChainReport): Arrow[] {
  return chain.slices.flatMap((slice) => {
    const nearer = towards(chain, slice);
    if (!nearer) return [];
    const [far, near] = [endOf(slice), endOf(slice.through ?? nearer)];
    const [from, to] = slice.hop < 0 ? [far, near] : [near, far];
    return [{ kind: slice.kind, from, to, distance: Math.abs(slice.hop) }];
  });
}

function endOf(slice: Pick<ChainSlice, 'slice' | 'start_ps' | 'duration_ps'>): ArrowEnd {
  return {
    ref: slice.slice,
    startPs: slice.start_ps,
    endPs: slice.start_ps + slice.duration_ps,
  };
}

/** The slice one hop nearer to the selected one. */
function towards(chain: ChainReport, slice: ChainSlice): ChainSlice | undefined {
  return slice.toward === null ? undefined : chain.slices[slice.toward];
}

/** Time between the end of the cause and the start of the effect. */
export function gapText(chain: ChainReport, slice: ChainSlice): string {
  const nearer = towards(chain, slice);
  if (!nearer) return '';
  const [far, near] = [endOf(slice), endOf(slice.through ?? nearer)];
  const gapPs = slice.hop < 0 ? near.startPs - far.endPs : far.startPs - near.endPs;
  if (gapPs < 0) return 'overlaps';
  return `${formatDuration(gapPs)} ${slice.hop < 0 ? 'before' : 'later'}`;
}

/** What the limits left out; empty if nothing. */
export function cutText(chain: ChainReport): string {
  const sides = [
    ...(chain.is_cut_before ? ['before'] : []),
    ...(chain.is_cut_after ? ['after'] : []),
  ];
  if (sides.length === 0) return '';
  return (
    `There is more ${sides.join(' and ')} it: at most ${chain.most_hops} hops and ` +
    `${chain.most_slices} slices are followed in each direction.`
  );
}
