import { expect, test } from 'vitest';

import { formatFigure } from './figure-unit';

test('figures have the unit of their budget', () => {
  expect(formatFigure('picos', 2e9)).toContain('ms');
  expect(formatFigure('bytes', 1024)).toContain('KiB');
  expect(formatFigure('ratio', 0.5)).toContain('%');
});
