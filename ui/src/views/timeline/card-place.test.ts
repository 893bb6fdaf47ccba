import { expect, test } from 'vitest';

import { cardPlace } from './card-place';

const LAPTOP = { innerWidth: 1280, innerHeight: 800 };
const PHONE = { innerWidth: 390, innerHeight: 800 };

test('a card is at the right of the pointer and below it', () => {
  expect(cardPlace({ x: 100, y: 100 }, LAPTOP)).toEqual({
    left: '114px',
    right: 'auto',
    top: '114px',
    bottom: 'auto',
  });
});

test('at the right and lower edges it is at the other side', () => {
  expect(cardPlace({ x: 1200, y: 700 }, LAPTOP)).toEqual({
    left: 'auto',
    right: '94px',
    top: 'auto',
    bottom: '114px',
  });
});

test('in a narrow window it stays within, wherever the pointer is', () => {
  for (let x = 0; x < 390; x += 13) {
    const place = cardPlace({ x, y: 100 }, PHONE);
    const [left, right] = [place.left, place.right].map((text) => Number.parseFloat(text));
    const from = Number.isNaN(left) ? 390 - right! - 340 : left!;
    expect(from).toBeGreaterThanOrEqual(8);
    expect(from + 340).toBeLessThanOrEqual(390 - 8);
  }
});
