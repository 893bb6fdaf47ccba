/** Moments that profilers write as numbers. Pure. */

/** From 2001 to 2286, in nanoseconds since the epoch. */
const EPOCH_NS = /^\d{19}$/;

/** The local time of a fact that is nanoseconds since the epoch; undefined for others. */
export function momentOf({ name, value }: { name: string; value: string }): string | undefined {
  if (!/time/i.test(name) || !EPOCH_NS.test(value)) return undefined;
  const date = new Date(Number(BigInt(value) / 1_000_000n));
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = [two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())].join(':');
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
