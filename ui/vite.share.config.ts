// Builds the page of reports as one file: scripts and styles inside, and a policy of its own that
// lets nothing in or out. `stepscope export --html` puts the answers into it.
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';

import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

/** Where the page asks a worker, a report has none. */
const REPLACED = new Map([['./layouter', resolve(import.meta.dirname, 'src/share/layouter.ts')]]);

function withoutWorkers(): Plugin {
  return {
    name: 'stepscope-without-workers',
    enforce: 'pre',
    resolveId(source, importer) {
      return importer?.includes('/views/graph/') ? REPLACED.get(source) : undefined;
    },
  };
}

/**
 * Style sheets of views take effect when the view is first shown, as on the other page: all at once
 * they would style each other's elements.
 */
function stylesWithViews(): Plugin {
  const mark = '\0style-of-view:';
  return {
    name: 'stepscope-styles-with-views',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!importer?.includes('/src/views/') || !source.endsWith('.css')) return undefined;
      // Without its ending, so that Vite does not take the module for a style sheet.
      return mark + resolve(dirname(importer), source).slice(0, -4);
    },
    load(id) {
      if (!id.startsWith(mark)) return undefined;
      const sheet = JSON.stringify(`${id.slice(mark.length)}.css?inline`);
      return `import css from ${sheet};
        const style = document.createElement('style');
        style.textContent = css;
        document.head.append(style);`;
    },
  };
}

const POLICY = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
];

/** Puts every script and style sheet into the page, and the digests of the scripts into its policy. */
function oneFile(): Plugin {
  return {
    name: 'stepscope-one-file',
    enforce: 'post',
    // After Vite's own, which puts lists of what to preload in the places it left for them.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
        if (page?.type !== 'asset') throw new Error('there is no page');
        let html = String(page.source);
        for (const file of Object.values(bundle)) {
          if (file === page) continue;
          const name = file.fileName.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
          if (file.type === 'chunk') {
            const code = file.code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
            // Behind the report, which the script reads.
            html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), '');
            html = html.replace('</body>', () => `<script type="module">${code}</script>\n</body>`);
          } else if (file.fileName.endsWith('.css')) {
            const link = new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
            html = html.replace(link, () => `<style>${String(file.source)}</style>`);
          } else {
            throw new Error(`${file.fileName} does not fit into one file`);
          }
          delete bundle[file.fileName];
        }
        const digests = [...html.matchAll(/<script(?![^>]*application\/json)[^>]*>([\s\S]*?)<\/script>/g)]
          .map(([, code]) => createHash('sha256').update(code ?? '').digest('base64'))
          .map((digest) => `'sha256-${digest}'`);
        const policy = [...POLICY, `script-src ${digests.join(' ')}`].join('; ');
        page.source = html.replace(
          '<meta charset="utf-8" />',
          () =>
            `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        );
      },
    },
  };
}

export default defineConfig({
  base: './',
  publicDir: false,
  plugins: [withoutWorkers(), stylesWithViews(), solid(), oneFile()],
  build: {
    outDir: 'dist',
    // The pages that a server gives stand beside it.
    emptyOutDir: false,
    target: 'es2022',
    assetsInlineLimit: 1 << 20,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: {
      input: resolve(import.meta.dirname, 'share.html'),
      output: { codeSplitting: false },
    },
  },
});
