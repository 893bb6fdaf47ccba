/** What tests of the timeline read from the page, and when it is at rest. */
import { type Page } from '@playwright/test';

import { expect, openView } from './server';

export interface Stats {
  frames: number;
  drawMedianMs: number;
  intervalMedianMs: number;
  intervals: number;
  glyphs: number;
  tilesLoaded: number;
  tilesFailed: number;
  isSettled: boolean;
}

export interface Probe {
  timeline?: { stats: () => Stats; reset: () => void };
}

export const stats = (page: Page): Promise<Stats | undefined> =>
  page.evaluate(() =>
    (window as unknown as { __stepscope?: Probe }).__stepscope?.timeline?.stats(),
  );

/** Opens the timeline and waits until everything on screen is loaded. */
export async function openTimeline(
  page: Page,
  url: string,
  session: string,
  query = '',
): Promise<void> {
  await openView(page, url, session, 'timeline', query);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      const now = await stats(page);
      return now !== undefined && now.isSettled && now.tilesLoaded > 0;
    })
    .toBe(true);
}

/** The canvas and its position on the page. */
export async function canvasOf(page: Page) {
  const canvas = page.locator('.timeline-canvas').first();
  const box = (await canvas.boundingBox())!;
  return { canvas, box };
}

/** The window in the URL, as numbers; null for the whole session. */
export function windowIn(page: Page): { start: number; end: number } | null {
  const match = /window=(-?\d+)\.\.(-?\d+)/.exec(decodeURIComponent(page.url()));
  return match ? { start: Number(match[1]), end: Number(match[2]) } : null;
}
