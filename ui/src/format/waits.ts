/** What steps wait for on their critical path: titles and colors. */
import type { WaitKind } from '../wire/generated/WaitKind';
import type { Meaning } from './causes';
import { CLASS_COLORS } from './palette';

const KINDS: Record<WaitKind, [title: string, color: string]> = {
  compute: ['Compute', CLASS_COLORS.compute],
  collective: ['Collective', CLASS_COLORS.collective],
  copy: ['Copy', CLASS_COLORS.copy],
  host: ['Host', CLASS_COLORS.host],
  launch: ['Launch', CLASS_COLORS.wait],
  idle: ['Idle', CLASS_COLORS.idle],
};

export const WAIT_KINDS: readonly Meaning[] = Object.entries(KINDS).map(
  ([key, [title, color]]) => ({ key, title, color }),
);
