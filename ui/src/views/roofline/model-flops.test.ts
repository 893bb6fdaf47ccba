import { describe, expect, it } from 'vitest';

import { PRODUCT } from './model-flops';

// As the `pattern` of a field: the whole text, with the `v` flag.
const isProduct = (text: string) => new RegExp(`^(?:${PRODUCT})$`, 'v').test(text);

describe('the FLOPs of a model', () => {
  it('may be a number or a product', () => {
    for (const text of ['5.03e16', '6*8e9*1048576', '6 * 8B * 2^20', '6 × 70 B · 4M', '1,048,576']) {
      expect(isProduct(text), text).toBe(true);
    }
  });
  it('may be nothing else', () => {
    for (const text of ['six', '6*', '-6', '6*8B parameters', '8Q']) {
      expect(isProduct(text), text).toBe(false);
    }
  });
});
