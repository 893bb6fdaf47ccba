/** What the menus of headers and rows offer. */
import { isComparable } from '../../compare/change';
import type { Kind } from '../../format/numbers';
import { escapeRegex, truncateMiddle } from '../../format/text';
import { copyWith } from '../copied';
import type { MenuEntry } from '../menu/menu';
import { showToast } from '../toast';
import { isUsual, USUAL, withDistribution, withHidden, withStep, withWidth } from './arrangement';
import { cellText, csvOf, markdownOf } from './copies';
import { canGroup } from './groups';
import type { TableModel } from './model';
import type { Shown, TableProps } from './props';
import { changeKey, valueText } from './rows';

/** Values in menus are shortened to this many characters. */
const LONGEST_VALUE = 28;

export function copyTable<Row>(
  as: 'CSV' | 'Markdown',
  props: TableProps<Row>,
  model: TableModel<Row>,
): void {
  const text =
    as === 'CSV'
      ? csvOf(model.rows(), model.columns(), props.columns, model.pairs())
      : markdownOf(model.lines(), model.columns());
  void copyWith(`Table as ${as}`, text);
}

/** Where SQL has the table. */
const sqlEntry = (showSql: (() => void) | null): MenuEntry[] =>
  showSql ? [{ title: 'Show SQL', run: showSql }] : [];

export function headerMenu<Row>(
  props: TableProps<Row>,
  model: TableModel<Row>,
  column: Shown<Row>,
  showStatistics: () => void,
  showSql: (() => void) | null,
): MenuEntry[] {
  const { key } = column;
  const isText = column.kind === undefined;
  const isByText = isText && column.order === undefined;
  const sort = (sortKey: string, isReversed: boolean) => () =>
    props.state.setSort({ key: sortKey, isReversed });
  const step = (by: 1 | -1) => () =>
    model.arrange(withStep(model.arrangement(), model.available(), key, by));
  const isDistributed = model.arrangement().distributed.has(key);
  const isGrouped = model.groupedBy()?.key === key;
  const canChange = model.pairs() !== null && isComparable(column);
  return [
    ...(props.isOrdered || column.isUnsorted
      ? []
      : [
          { title: isByText ? 'Sort from A' : 'Largest first', run: sort(key, false) },
          { title: isByText ? 'Sort from Z' : 'Smallest first', run: sort(key, true) },
          ...(canChange
            ? [{ title: 'Largest increase first', run: sort(changeKey(key), false) }]
            : []),
        ]),
    'separator',
    ...(isText
      ? []
      : [
          { title: 'Distribution', run: showStatistics },
          {
            title: isDistributed ? 'Hide distribution in cells' : 'Show distribution in cells',
            run: () =>
              model.arrange(withDistribution(model.arrangement(), key, !isDistributed)),
          },
        ]),
    ...(canGroup(column) && !props.isOrdered
      ? [
          {
            title: isGrouped ? 'Ungroup' : 'Group by',
            detail: isGrouped ? undefined : column.title,
            run: () => model.groupBy(isGrouped ? null : key),
          },
        ]
      : []),
    'separator',
    { title: 'Move left', keys: 'Alt+Shift+ArrowLeft', run: step(-1) },
    { title: 'Move right', keys: 'Alt+Shift+ArrowRight', run: step(1) },
    {
      title: 'Usual width',
      isDisabled: !column.isSized,
      run: () => model.arrange(withWidth(model.arrangement(), key, null)),
    },
    'separator',
    {
      title: 'Hide',
      detail: column.title,
      isDisabled: model.columns().length < 2,
      run: () => hide(model, column),
    },
    {
      title: 'Reset columns',
      isDisabled: isUsual(model.arrangement()),
      run: () => model.arrange(USUAL),
    },
    'separator',
    ...sqlEntry(showSql),
  ];
}

/** Hides a column, and offers to take it back. */
export function hide<Row>(model: TableModel<Row>, column: { key: string; title: string }): void {
  const before = model.arrangement();
  model.arrange(withHidden(before, column.key, true));
  showToast({
    text: `${column.title} hidden`,
    action: { title: 'Undo', run: () => model.arrange(before) },
  });
}

export function rowMenu<Row>(
  props: TableProps<Row>,
  model: TableModel<Row>,
  row: Row,
  column: Shown<Row> | undefined,
  showSql: (() => void) | null,
): MenuEntry[] {
  const isGone = model.pairs()?.isGone(row) ?? false;
  const own = isGone ? [] : (props.menu?.(row) ?? []);
  const text = column ? cellText(column, row) : '';
  const condition = column && !props.isPlain && !props.isBare ? conditionOf(column, row) : null;
  return [
    ...(props.onRow && !isGone ? [{ title: 'Open', run: () => props.onRow?.(row) }] : []),
    ...own,
    'separator',
    ...(condition === null
      ? []
      : [
          {
            title: column?.kind ? 'Keep rows from this on' : 'Keep only rows with',
            detail: truncateMiddle(text, LONGEST_VALUE),
            run: () => {
              const query = props.state.query();
              props.state.setQuery(query && column?.kind ? `${query} ${condition}` : condition);
            },
          },
        ]),
    ...(column && canGroup(column) && !props.isOrdered
      ? [{ title: 'Group by', detail: column.title, run: () => model.groupBy(column.key) }]
      : []),
    'separator',
    ...(text
      ? [
          {
            title: 'Copy',
            detail: truncateMiddle(text, LONGEST_VALUE),
            run: () => void copyWith('Cell', text),
          },
        ]
      : []),
    {
      title: 'Copy row as Markdown',
      run: () => void copyWith('Row', markdownOf([{ row }], model.columns())),
    },
    { title: 'Copy table as Markdown', run: () => copyTable('Markdown', props, model) },
    { title: 'Copy table as CSV', run: () => copyTable('CSV', props, model) },
    ...sqlEntry(showSql),
  ];
}

const BASE_UNITS: Record<Kind, string> = {
  duration: 'ps',
  bytes: 'B',
  bandwidth: 'B/s',
  flops: 'FLOP',
  flop_rate: 'FLOP/s',
  ratio: '%',
  count: '',
};

/** The filter that keeps rows with this text, or with at least this figure. */
export function conditionOf<Row>(column: Shown<Row>, row: Row): string | null {
  const value = column.value(row);
  if (value === null || value === '') return null;
  if (!column.kind) return `^${escapeRegex(valueText(value))}$`;
  return rangeOf(column, Number(value));
}

/** `self_ps >= 12ps`, and `< …` if given. */
export function rangeOf<Row>(column: Shown<Row>, from: number, to?: number): string {
  const kind = column.kind ?? 'count';
  const text = (value: number) => {
    const size = kind === 'ratio' ? 100 * value : value;
    return `${Number(size.toPrecision(12))}${BASE_UNITS[kind]}`;
  };
  const lower = `${column.key} >= ${text(from)}`;
  return to === undefined ? lower : `${lower} ${column.key} <= ${text(to)}`;
}
