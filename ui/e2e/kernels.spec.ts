/** The kernels in custom calls, of a program that JAX lowered for a TPU. */
import { expect, openView, ROOT, startServer, test as base } from './server';

const PROGRAM = 'crates/hlo/tests/kernels/tpu.hlo_proto.pb';

const test = base.extend<object, { program: string }>({
  program: [
    async ({}, use) => {
      const server = await startServer(['view', PROGRAM, '--no-report', '--port', '0'], ROOT);
      try {
        await use(server.url);
      } finally {
        server.process.kill();
      }
    },
    { scope: 'worker' },
  ],
});

test('the graph describes the kernel of a custom call', async ({ page, program }) => {
  await openView(page, program, 'tpu', 'graph');
  const kernel = page.locator('.graph-kernel');
  await expect(kernel).toContainText('Mosaic (TPU)');
  await expect(kernel).toContainText('blocked_matmul');
  await expect(kernel).toContainText('4 × 2 × 8');
  const first = kernel.locator('.graph-blocks tbody tr').first();
  await expect(first).toContainText('vmem bf16[256,128]');
  await expect(first).toContainText('(i, k)');
});
