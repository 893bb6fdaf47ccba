/**
 * Marks: times that the reader marked, with a text, a color, and arrows to other marks. In a link, each
 * is `START..END@TRACK*COLOR:2:5!TEXT`, an instant `TIME`; everything but the time may be missing, and
 * arrows name marks by their position. Pure.
 */
import { formatRange, parseRange } from './address';
import type { TimeWindow } from './viewport';

/** Colors of marks, readable on light and dark ground. */
export const MARK_COLORS = {
  blue: '#2f6fd6',
  orange: '#b45309',
  green: '#047857',
  purple: '#8b3fd9',
  gray: '#5b6675',
} as const;

export type MarkColor = keyof typeof MARK_COLORS;

/** A marked range of time; an instant if both ends are the same. */
export interface Mark extends TimeWindow {
  /** Whether it stays when the next mark is made. */
  isKept: boolean;
  /** What the reader wrote. */
  text: string;
  color: MarkColor;
  /** The track that it is about; null for all. */
  track: number | null;
  /** Positions of the marks that arrows lead to. */
  arrows: readonly number[];
}

/** The longest text of a mark, and the most marks: they are part of links. */
export const LONGEST_TEXT = 200;
export const MOST_MARKS = 40;

/** A mark without text. */
export function markOf({ startPs, endPs }: TimeWindow, isKept: boolean, track?: number): Mark {
  return { startPs, endPs, isKept, text: '', color: 'blue', track: track ?? null, arrows: [] };
}

/** Control characters, and those that change the direction of the text around them. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text as it is kept: one line, of a limited length. */
export function cleanText(text: string): string {
  return [...text.replace(UNSEEN, ' ')].slice(0, LONGEST_TEXT).join('');
}

/** Characters with a meaning in the list, written as `~XX`. */
const SPECIAL = /[~_,]/g;

const escaped = (text: string) =>
  text
    .replace(SPECIAL, (one) => `~${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll(' ', '_');

const unescaped = (text: string) =>
  text
    .replaceAll('_', ' ')
    .replace(/~([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

/** The kept marks as text. */
export function formatMarks(marks: readonly Mark[]): string {
  const kept = marks.filter((mark) => mark.isKept);
  return kept
    .map((mark) => {
      const time =
        mark.startPs === mark.endPs ? String(Math.round(mark.startPs)) : formatRange(mark);
      return [
        time,
        mark.track === null ? '' : `@${mark.track}`,
        mark.color === 'blue' ? '' : `*${mark.color}`,
        ...mark.arrows.flatMap((other) => {
          const target = marks[other];
          return target?.isKept ? [`:${kept.indexOf(target)}`] : [];
        }),
        mark.text ? `!${escaped(mark.text)}` : '',
      ].join('');
    })
    .join(',');
}

const MARK = /^(-?[\d.]+)(?:@(\d{1,9}))?(?:\*([a-z]+))?((?::\d{1,3})*)(?:!(.*))?$/s;

/** The kept marks that a text names; what is not a mark is left out. */
export function parseMarks(text: string | undefined): Mark[] {
  const parts = (text ?? '').split(',').slice(0, MOST_MARKS);
  const read = parts.map((part): Mark | null => {
    const match = MARK.exec(part);
    const time = match?.[1] ?? '';
    const range = parseRange(time.includes('..') ? time : `${time}..${time}`);
    if (!match || !range) return null;
    const color = match[3] ?? 'blue';
    return {
      ...range,
      isKept: true,
      text: cleanText(unescaped(match[5] ?? '')),
      color: Object.hasOwn(MARK_COLORS, color) ? (color as MarkColor) : 'blue',
      track: match[2] === undefined ? null : Number(match[2]),
      arrows: (match[4] ?? '').split(':').filter(Boolean).map(Number),
    };
  });
  // Arrows count the parts of the text, and some may not have been marks.
  const positions = new Map<number, number>();
  read.forEach((mark, part) => mark && positions.set(part, positions.size));
  return read.flatMap((mark) => {
    if (!mark) return [];
    const arrows = mark.arrows.flatMap((part) => positions.get(part) ?? []);
    return [{ ...mark, arrows: [...new Set(arrows)] }];
  });
}

/** The marks without one; arrows to it end. */
export function withoutMark(marks: readonly Mark[], removed: number): Mark[] {
  return marks
    .map((mark) => ({
      ...mark,
      arrows: mark.arrows
        .filter((other) => other !== removed)
        .map((other) => (other > removed ? other - 1 : other)),
    }))
    .filter((_, position) => position !== removed);
}

/** The marks with one changed. */
export function withMark(
  marks: readonly Mark[],
  position: number,
  changes: Partial<Omit<Mark, keyof TimeWindow>>,
): Mark[] {
  return marks.map((mark, at) => (at === position ? { ...mark, ...changes } : mark));
}
