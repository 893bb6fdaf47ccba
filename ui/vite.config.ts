// Builds the web UI: with relative URLs, so that it works under any path; one chunk per view,
// compressed in advance.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import type { Plugin } from 'vite';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

const TEXT = /\.(html|js|css|svg|json)$/;
/** Smaller files fit into one packet either way. */
const COMPRESSED_FROM_BYTES = 512;

/**
 * Compresses what the build wrote, once and as well as possible: `NAME.br` and `NAME.gz` lie next to
 * each file, and the server sends them to clients that accept them.
 */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'stepscope-compressed',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle: () => {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => TEXT.test(each))) compress(resolve(folder, name));
    },
  };
}

function compress(file: string): void {
  const content = readFileSync(file);
  if (content.length < COMPRESSED_FROM_BYTES) return;
  // Which mode is best differs from file to file.
  const modes = [
    constants.BROTLI_MODE_TEXT,
    constants.BROTLI_MODE_GENERIC,
    constants.BROTLI_MODE_FONT,
  ];
  const compressed = modes.map((mode) => {
    const params = {
      [constants.BROTLI_PARAM_MODE]: mode,
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    return brotliCompressSync(content, { params });
  });
  const smallest = compressed.reduce((best, one) => (one.length < best.length ? one : best));
  writeFileSync(`${file}.br`, smallest);
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}

export default defineConfig({
  base: './',
  plugins: [solid(), compressed()],
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
