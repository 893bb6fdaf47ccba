/** What the menu of a chart offers: its picture and its figures, and the whole after zooming. */
import { copyWith } from '../copied';
import { download } from '../copy';
import type { MenuEntry } from '../menu/menu';
import { showToast } from '../toast';
import { chartCsv, type ChartData } from './data';
import { chartPng, chartSvg } from './picture';

export function plotMenu(chart: {
  root: HTMLElement;
  label: string;
  data: () => ChartData;
  /** Null if the chart shows everything or cannot zoom. */
  reset: (() => void) | null;
  /** How the picture is made, if not from layers. */
  picture?: (root: HTMLElement) => string;
}): MenuEntry[] {
  const svg = () => (chart.picture ?? chartSvg)(chart.root);
  const name = chart.label.replace(/\W+/g, '-').replace(/^-|-$/g, '').toLowerCase();
  return [
    ...(chart.reset ? [{ title: 'Show everything', keys: '0', run: chart.reset }] : []),
    'separator',
    { title: 'Copy as PNG', run: () => void copyPng(chart.root, svg(), name) },
    { title: 'Copy as SVG', run: () => void copyWith('Chart as SVG', svg()) },
    { title: 'Copy figures as CSV', run: () => void copyWith('Figures', chartCsv(chart.data())) },
    'separator',
    {
      title: 'Save as SVG',
      run: () => download(`${name}.svg`, 'image/svg+xml', svg()),
    },
    {
      title: 'Save figures as CSV',
      run: () => download(`${name}.csv`, 'text/csv', chartCsv(chart.data())),
    },
  ];
}

/** Pictures can only be copied on pages that the browser trusts; elsewhere the file is saved. */
async function copyPng(root: HTMLElement, svg: string, name: string): Promise<void> {
  const picture = await chartPng(root, svg);
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    showToast({ text: 'Chart as PNG copied', key: 'copy' });
  } catch {
    download(`${name}.png`, 'image/png', picture);
    showToast({ text: 'Copying pictures was not allowed; saved as a file', key: 'copy' });
  }
}
