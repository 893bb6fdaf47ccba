// Builds the page for reports as a single file, with its compressed script and its styles embedded and
// a content security policy that blocks all requests. `stepscope export --html` adds the answers.
// And the page for cells of notebooks, `frame/`: the same without a report, its script in few files.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build, defineConfig, type Plugin, type Rollup } from 'vite';
import solid from 'vite-plugin-solid';

/** What a report does not have: workers, captures, incidents, and a server that answers queries. */
const REPLACED = [
  { source: '../capture/dialog', importer: '/shell/app.tsx', by: 'src/share/no-view.ts' },
  { source: './layouter', importer: '/views/graph/', by: 'src/share/layouter.ts' },
  { source: '../views/sql/index.tsx', importer: '/shell/views.ts', by: 'src/share/no-view.ts' },
  { source: '../views/incidents/index.tsx', importer: '/shell/views.ts', by: 'src/share/no-view.ts' },
  { source: './laid-chip', importer: '/views/timeline/', by: 'src/share/no-view.ts' },
  { source: '../../sql/table-query', importer: '/widgets/table/', by: 'src/share/no-query.ts' },
];

function withoutServer(): Plugin {
  return {
    name: 'stepscope-without-server',
    enforce: 'pre',
    resolveId(source, importer) {
      const found = REPLACED.find(
        (each) => each.source === source && importer?.includes(each.importer),
      );
      return found && resolve(import.meta.dirname, found.by);
    },
  };
}

/**
 * Applies the style sheets of a view when it is first shown, as the served page does: if all were
 * active from the start, they could style each other's elements.
 */
function stylesWithViews(): Plugin {
  const mark = '\0style-of-view:';
  return {
    name: 'stepscope-styles-with-views',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!importer?.includes('/src/views/') || !source.endsWith('.css')) return undefined;
      // Without its extension, so that Vite does not treat the module as a style sheet.
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

/** Unpacks the script of the page and runs it. */
const LOADER = readFileSync(resolve(import.meta.dirname, 'src/share/loader.js'), 'utf8');

const digestOf = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;

/** A style sheet as a statement, so that it is compressed with the script that needs it. */
function styled(file: Rollup.OutputAsset): string {
  const css = JSON.stringify(String(file.source));
  return `document.head.append(Object.assign(document.createElement('style'),{textContent:${css}}));`;
}

/** Embeds the script with all style sheets in the page, and the digests of scripts in its policy. */
function oneFile(): Plugin {
  return {
    name: 'stepscope-one-file',
    enforce: 'post',
    // After Vite's own hooks, which fill in its placeholders for preload lists.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const page = Object.values(bundle).find((file) => file.fileName.endsWith('.html'));
        if (page?.type !== 'asset') throw new Error('the bundle has no page');
        let html = String(page.source);
        const digests: string[] = [];
        const files = Object.values(bundle).filter((file) => file !== page);
        const styles = files.flatMap((file) =>
          file.type === 'asset' && file.fileName.endsWith('.css') ? [file] : [],
        );
        for (const file of files) {
          const name = file.fileName.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
          if (file.type === 'chunk') {
            const code = styles.map(styled).join('') + file.code;
            const packed = gzipSync(code, { level: 9 }).toString('base64');
            digests.push(digestOf(code));
            // After the report, which the script reads.
            html = html.replace(new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`), '');
            const text = `<script type="text/plain" id="stepscope-code">${packed}</script>`;
            html = html.replace('</body>', () => `${text}\n<script>${LOADER}</script>\n</body>`);
          } else if (file.fileName.endsWith('.css')) {
            html = html.replace(new RegExp(`\\s*<link[^>]*href="[^"]*${name}"[^>]*>`), '');
          } else {
            throw new Error(`${file.fileName} cannot be embedded in a single file`);
          }
          delete bundle[file.fileName];
        }
        const inline = html.matchAll(/<script(?![^>]* type=)[^>]*>([\s\S]*?)<\/script>/g);
        digests.push(...[...inline].map(([, code]) => digestOf(code ?? '')));
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

const VIEW = /\/src\/views\/[^/]+\/index\.tsx$/;
const FIRST = resolve(import.meta.dirname, 'src/share/frame-main.tsx');

/** All that these modules import, themselves included. */
function importedBy(context: Rollup.PluginContext, ids: Iterable<string>): Set<string> {
  const all = new Set(ids);
  for (const id of all) for (const each of context.getModuleInfo(id)?.importedIds ?? []) all.add(each);
  return all;
}

/**
 * The files of the page in a cell: `first`, which shows a timeline; `later`, which timelines and the
 * header load once something is there; `rest` with the other views. Each runs as a whole when loaded,
 * which would take twice as long if it were all of them (`docs/internals/benchmarks.md`).
 */
function fewFiles(): { plugin: Plugin; groups: Rollup.CodeSplittingGroup[] } {
  let first = new Set<string>();
  let later = new Set<string>();
  const plugin: Plugin = {
    name: 'stepscope-few-files',
    buildEnd() {
      first = importedBy(this, [FIRST]);
      const loaded = [...first].flatMap((id) => this.getModuleInfo(id)?.dynamicallyImportedIds ?? []);
      later = importedBy(this, loaded.filter((id) => !VIEW.test(id)));
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.values(bundle);
        const styles = files.flatMap((file) => (file.type === 'asset' ? [styled(file)] : []));
        for (const file of files) {
          if (file.type === 'asset') {
            delete bundle[file.fileName];
            continue;
          }
          const code = file.code
            .replace(/\bimport\((["'`])\.\/(\w+)\.js\1\)/g, (_, __, name) => `stepscopeCode('${name}')`)
            .replace(/(["'`])\.\/(\w+)\.js\1/g, "'stepscope-code:$2'");
          file.code = file.name === 'first' ? styles.join('') + code : code;
        }
        const page = framePage(readFileSync(resolve(import.meta.dirname, 'share.html'), 'utf8'));
        this.emitFile({ type: 'asset', fileName: 'page.html', source: page });
      },
    },
  };
  const groups = [
    { name: 'first', test: (id: string) => first.has(id), priority: 3 },
    { name: 'later', test: (id: string) => later.has(id), priority: 2 },
    { name: 'rest', test: () => true, priority: 1 },
  ];
  return { plugin, groups };
}

/** The page in a cell, from that of reports. The widget fills in the URL of its code. */
function framePage(report: string): string {
  const html = report
    .replace(/\s*<noscript[\s\S]*?<\/noscript\s*>/, '')
    .replace(/\s*<script type="application\/json"[^>]*><\/script>/, '')
    .replace(/<script type="module"[^>]*>/, '<script type="module" src="stepscope-code:first">');
  const inline = html.matchAll(/<script>([\s\S]*?)<\/script>/g);
  const digests = [...inline].map(([, code]) => digestOf(code ?? ''));
  const policy = [...POLICY, `script-src blob: ${digests.join(' ')}`].join('; ');
  const mark = '<meta charset="utf-8" />';
  return html.replace(mark, `${mark}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`);
}

const COMMON = {
  // The files of the served page are in the same folder.
  emptyOutDir: false,
  target: 'es2022',
  assetsInlineLimit: 1 << 20,
  cssCodeSplit: false,
  modulePreload: false,
  reportCompressedSize: false,
} as const;

/** Leaves only `NAME.gz` of each file, which the server unpacks: nobody asks for these by network. */
function pack(folder: string, names: string[]): void {
  for (const name of names) {
    const file = resolve(folder, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    rmSync(file);
  }
}

/** Builds the page for cells next to that for reports. */
function withFrame(): Plugin {
  let folder = '';
  return {
    name: 'stepscope-frame',
    configResolved: ({ root, build: { outDir } }) => {
      folder = resolve(root, outDir, 'frame');
    },
    async closeBundle() {
      pack(resolve(folder, '..'), ['share.html']);
      const { plugin, groups } = fewFiles();
      await build({
        configFile: false,
        base: './',
        publicDir: false,
        plugins: [withoutServer(), stylesWithViews(), solid(), plugin],
        build: {
          ...COMMON,
          outDir: folder,
          rolldownOptions: {
            input: { first: FIRST },
            // The view of timelines is part of `first`, although the list of views loads it when shown.
            checks: { ineffectiveDynamicImport: false },
            output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', codeSplitting: { groups } },
          },
        },
      });
      pack(folder, groups.map(({ name }) => `${String(name)}.js`));
    },
  };
}

export default defineConfig({
  base: './',
  publicDir: false,
  plugins: [withoutServer(), stylesWithViews(), solid(), oneFile(), withFrame()],
  build: {
    outDir: 'dist',
    ...COMMON,
    rollupOptions: {
      input: resolve(import.meta.dirname, 'share.html'),
      output: { codeSplitting: false },
    },
  },
});
