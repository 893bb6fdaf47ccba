// Builds the web UI: with relative URLs, so that it works under any path; one chunk per view,
// compressed in advance.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import type { Plugin, Rollup } from 'vite';
import solid from 'vite-plugin-solid';
import { defineConfig } from 'vitest/config';

const TEXT = /\.(html|js|css|svg|json)$/;
/** Smaller files fit into one packet either way. */
const COMPRESSED_FROM_BYTES = 512;

/**
 * Compresses what the build wrote, once and as well as possible, into `NAME.br` and `NAME.gz`, which the
 * server sends to clients that accept them. It unpacks one for others, so only pages stay as they are: the
 * program that contains all of this is smaller by what they take.
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
  if (!file.endsWith('.html')) rmSync(file);
}

const HEAD_START = /\n *<!-- head start -->/;
const FIRST_VIEW = /\/src\/views\/timeline\/index\.tsx$/;

/**
 * Puts `src/shell/head-start.js` into the page, above its style sheets, which inline scripts would wait
 * for. It gets the files of the timeline's view that the page itself does not name.
 */
function headStart(): Plugin {
  const code = readFileSync(resolve(import.meta.dirname, 'src/shell/head-start.js'), 'utf8');
  return {
    name: 'stepscope-head-start',
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) => {
        const files = filesOf(bundle ?? {}).filter((file) => !html.includes(file));
        const filled = code
          .replace(/^\/\*[\s\S]*?\*\/\n/, '')
          .replace('FILES', JSON.stringify(files.map((file) => `./${file}`)));
        return html.replace(HEAD_START, () => (bundle ? `\n    <script>\n${filled}</script>` : ''));
      },
    },
  };
}

/** The chunks of the timeline's view and their style sheets. */
function filesOf(bundle: Rollup.OutputBundle): string[] {
  const chunks = new Map(
    Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])),
  );
  const view = [...chunks.values()].find(({ facadeModuleId }) => FIRST_VIEW.test(facadeModuleId ?? ''));
  const names = new Set(view ? [view.fileName] : []);
  for (const name of names) for (const other of chunks.get(name)?.imports ?? []) names.add(other);
  const styles = [...names].flatMap((name) => [...(chunks.get(name)?.viteMetadata?.importedCss ?? [])]);
  return [...names, ...new Set(styles)];
}

/**
 * What every page needs, and what its code shares with that of the timeline: one file instead of many
 * of some hundred bytes. Browsers send six requests at a time, so each further file would delay the
 * report that the first tile waits for.
 */
const TOGETHER = [
  {
    name: 'base',
    test: new RegExp(
      [
        String.raw`\/node_modules\/solid-js\/`,
        String.raw`\/src\/shell\/(hash|icons|palette-sources|shared|state|stored)\.`,
        String.raw`\/src\/(widgets\/(toast|chart\/ticks)|sql\/lay)\.`,
        String.raw`\/src\/format\/(causes|counter-value|text|waits)\.`,
        String.raw`\/src\/timeline\/(address|clock|coloring|palette|search-conditions|time-axis)\.`,
      ].join('|'),
    ),
  },
];

export default defineConfig({
  base: './',
  plugins: [solid(), compressed(), headStart()],
  build: {
    outDir: 'dist',
    target: 'es2022',
    assetsInlineLimit: 8192,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: TOGETHER } } },
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
