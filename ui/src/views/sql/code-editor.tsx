/** The editor of queries: CodeMirror, in a chunk that only this view fetches. */
import {
  acceptCompletion,
  autocompletion,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { SQLDialect } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { createEffect, on, onCleanup, onMount } from 'solid-js';

import { ENGINE_FUNCTIONS, KEYWORDS, TYPES } from '../../sql/words';
import type { SqlSchemaReport } from '../../wire/generated/SqlSchemaReport';
import { offersAt, type Offer } from './completion';
import type { ErrorPlace } from './error-place';

export interface EditorActions {
  /** Writes a text instead of what is selected. */
  insert: (text: string) => void;
  focus: () => void;
}

export default function CodeEditor(props: {
  value: string;
  onChange: (value: string) => void;
  schema: SqlSchemaReport | undefined;
  /** Underlined. */
  error: ErrorPlace | null;
  onRun: () => void;
  /** Escape; false if there is nothing to cancel. */
  onCancel: () => boolean;
  onReady: (actions: EditorActions) => void;
}) {
  let root!: HTMLDivElement;
  const language = new Compartment();
  const marks = new Compartment();

  onMount(() => {
    const view = new EditorView({
      parent: root,
      state: EditorState.create({
        doc: props.value,
        extensions: [
          Prec.highest(
            keymap.of([
              { key: 'Mod-Enter', preventDefault: true, run: () => (props.onRun(), true) },
              { key: 'Tab', run: acceptCompletion },
            ]),
          ),
          history(),
          lineNumbers(),
          bracketMatching(),
          EditorView.lineWrapping,
          autocompletion({ override: [(context) => complete(context)], icons: false }),
          keymap.of([
            ...completionKeymap,
            { key: 'Escape', run: () => props.onCancel() },
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          language.of(languageOf(props.schema)),
          marks.of([]),
          placeholder('select name, self_ps from ops order by self_ps desc limit 20'),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL query', spellcheck: 'false' }),
          syntaxHighlighting(COLORS),
          LOOK,
          EditorView.updateListener.of((update) => {
            if (update.docChanged) props.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    onCleanup(() => view.destroy());

    const complete = (context: CompletionContext): CompletionResult | null => {
      const found = props.schema && offersAt(props.schema, context.state.doc.toString(), context.pos);
      if (!found) return null;
      const isTyped = found.from < context.pos || context.state.sliceDoc(found.from - 1, found.from) === '.';
      if (!isTyped && !context.explicit) return null;
      return { from: found.from, options: found.offers.map(optionOf), validFor: /^\w*$/ };
    };
    createEffect(() => {
      const { value } = props;
      if (value === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: value },
        selection: { anchor: value.length },
      });
    });
    createEffect(
      on(
        () => props.schema,
        (schema) => view.dispatch({ effects: language.reconfigure(languageOf(schema)) }),
        { defer: true },
      ),
    );
    createEffect(() => {
      const place = props.error;
      const isThere = place !== null && place.to <= view.state.doc.length;
      view.dispatch({
        effects: marks.reconfigure(
          isThere
            ? EditorView.decorations.of(Decoration.set([WRONG.range(place.from, place.to)]))
            : [],
        ),
      });
    });
    props.onReady({
      insert: (text) => {
        view.dispatch(view.state.replaceSelection(text));
        view.focus();
      },
      focus: () => view.focus(),
    });
  });
  return <div class="sql-code" ref={root} />;
}

/** Keywords are offered after the names of the profile. */
const BOOST: Record<Offer['kind'], number> = {
  column: 20,
  alias: 15,
  view: 10,
  table: 8,
  function: 5,
  keyword: 0,
};

function optionOf(offer: Offer): Completion {
  const { label, apply, kind, detail, info } = offer;
  return {
    label,
    type: kind,
    boost: BOOST[kind],
    ...(apply === undefined ? {} : { apply }),
    ...(detail ? { detail } : {}),
    ...(info ? { info } : {}),
  };
}

function languageOf(schema: SqlSchemaReport | undefined) {
  const signatures = [
    ...(schema?.functions ?? []).map(({ signature }) => signature),
    ...ENGINE_FUNCTIONS.map(([signature]) => signature),
  ];
  return SQLDialect.define({
    keywords: KEYWORDS.join(' '),
    types: TYPES.join(' '),
    builtin: signatures.map((signature) => signature.replace(/\(.*/, '')).join(' '),
    caseInsensitiveIdentifiers: true,
  }).extension;
}

const WRONG = Decoration.mark({ class: 'sql-wrong' });

const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--text-muted)', fontStyle: 'italic' },
  { tag: [tags.standard(tags.name), tags.typeName], color: 'var(--change-worse)' },
]);

const LOOK = EditorView.theme({
  '&': { fontSize: 'var(--size)', maxHeight: '36vh', minHeight: '112px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: 'var(--space-3) 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '.cm-gutters': {
    border: '0',
    backgroundColor: 'transparent',
    color: 'var(--text-faint)',
  },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--accent)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface-raised)',
    boxShadow: 'var(--shadow-raised)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--size-small)',
    maxHeight: '15em',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--accent-text)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75', marginLeft: '12px' },
  '.cm-completionInfo': {
    maxWidth: '320px',
    padding: '6px 8px',
    fontFamily: 'var(--sans)',
    fontSize: 'var(--size-small)',
  },
  '.cm-completionInfo.cm-completionInfo-right': { marginLeft: '4px' },
});
