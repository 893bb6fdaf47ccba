/** Units as people type them, `1ms`, `64MiB`, `5%`: the inverse of `numbers.ts`. Pure. */
import type { Kind } from './numbers';

const TIMES: Record<string, number> = {
  ps: 1,
  ns: 1e3,
  us: 1e6,
  µs: 1e6,
  μs: 1e6,
  ms: 1e9,
  s: 1e12,
  min: 60e12,
  h: 3600e12,
};
const DECIMAL = 'kmgtpe';

/** Base units per unit, such as 1e9 for `ms`; null if figures of this kind have no such unit. */
export function unitSize(kind: Kind, unit: string): number | null {
  const text = unit.toLowerCase();
  switch (kind) {
    case 'duration':
      return TIMES[text] ?? null;
    case 'ratio':
      return text === '%' ? 0.01 : null;
    case 'bytes':
      return bytes(text);
    case 'bandwidth':
      return bytes(text.replace(/\/s$/, ''));
    case 'flops':
      return decimal(text.replace(/flops?$/, ''));
    case 'flop_rate':
      return decimal(text.replace(/flop(s|s?\/s)?$/, ''));
    case 'count':
      return decimal(text);
  }
}

/** An example of a figure of this kind, for messages. */
export const EXAMPLES: Record<Kind, string> = {
  duration: '1ms',
  bytes: '64MiB',
  bandwidth: '10GB/s',
  flops: '2GFLOP',
  flop_rate: '1TFLOP/s',
  ratio: '5%',
  count: '100',
};

function bytes(text: string): number | null {
  const match = /^([kmgtpe]?)(i?)b$/.exec(text);
  if (!match || (match[2] && !match[1])) return null;
  const power = match[1] ? DECIMAL.indexOf(match[1]) + 1 : 0;
  return (match[2] ? 1024 : 1000) ** power;
}

function decimal(text: string): number | null {
  if (text === '') return 1;
  const power = text.length === 1 ? DECIMAL.indexOf(text) : -1;
  return power < 0 ? null : 1000 ** (power + 1);
}
