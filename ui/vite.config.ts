// Builds the web UI: with relative URLs, so that it works under any path; one chunk per view.
import { defineConfig } from 'vitest/config';
import solid from 'vite-plugin-solid';

export default defineConfig({
  base: './',
  plugins: [solid()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    assetsInlineLimit: 8192,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` next to a running `stepscope view PATH --port 6006 --no-token`.
    proxy: { '/api': process.env['STEPSCOPE_URL'] ?? 'http://127.0.0.1:6006' },
  },
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    environment: 'node',
  },
});
