/** Rows of divided bars on one scale: a label, the bar, a figure. */
import { createMemo, For } from 'solid-js';
import { Dynamic } from 'solid-js/web';

import type { Meaning } from '../../format/causes';
import { DividedBar } from '../bars';
import { chartCsv } from '../chart/data';
import { contextMenu, type MenuEntry } from '../menu/menu';
import { copyWith } from '../copied';
import './bar-rows.css';

export interface BarRow {
  label: string;
  /** One value per meaning, in the same order. */
  values: readonly number[];
  text: string;
  href?: string;
  tip?: string;
}

export function BarRows(props: {
  rows: readonly BarRow[];
  meanings: readonly Meaning[];
  /** The value that the full width represents; the longest row by default. */
  total?: number;
}) {
  const sum = (row: BarRow) => row.values.reduce((all, value) => all + value, 0);
  const longest = createMemo(() => props.rows.reduce((most, row) => Math.max(most, sum(row)), 1));
  const total = () => props.total ?? longest();
  const csv = () =>
    chartCsv({
      columns: ['label', ...props.meanings.map(({ title }) => title), 'text'],
      rows: props.rows.map((row) => [row.label, ...row.values, row.text]),
    });
  const menuOf = (row: BarRow): MenuEntry[] => {
    const { href } = row;
    return [
      ...(href === undefined ? [] : [{ title: 'Open', run: () => window.location.assign(href) }]),
      {
        title: 'Copy the name',
        detail: row.label,
        run: () => void copyWith('Name', row.label),
      },
      { title: 'Copy figures as CSV', run: () => void copyWith('Figures', csv()) },
    ];
  };
  return (
    <div class="bar-rows">
      <For each={props.rows}>
        {(row) => (
          <Dynamic
            component={row.href === undefined ? 'div' : 'a'}
            class="bar-row"
            {...(row.href === undefined ? {} : { href: row.href })}
            onContextMenu={contextMenu(() => menuOf(row))}
          >
            <span data-tip={row.label}>{row.label}</span>
            <DividedBar
              isTall
              total={total()}
              pieces={props.meanings.map((meaning, index) => ({
                title: meaning.title,
                value: row.values[index] ?? 0,
                color: meaning.color,
              }))}
              {...(row.tip === undefined ? {} : { tip: row.tip })}
            />
            <span class="number">{row.text}</span>
          </Dynamic>
        )}
      </For>
    </div>
  );
}

/** A swatch with a title, as in tables of causes. */
export function MeaningCell(props: { meaning: Meaning }) {
  return (
    <>
      <span class="swatch" style={{ background: props.meaning.color }} /> {props.meaning.title}
    </>
  );
}
