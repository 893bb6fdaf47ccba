/**
 * Queries of a session, or of all of them: an editor with the schema beside it, and the rows as a table
 * or a chart. The query is in the address, so it runs when a link is opened.
 */
import { createEffect, createSignal, For, lazy, on, onCleanup, Show, Suspense } from 'solid-js';

import { formatDate, plural } from '../../format/numbers';
import { commandLine, sessions } from '../../shell/session';
import { registerShortcut } from '../../shell/shortcuts';
import { getParam, hrefTo, setParams, SQL_VIEW } from '../../shell/state';
import { stored, store } from '../../shell/stored';
import { OF_ROWS } from '../../sql/open';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { CopyButton } from '../../widgets/copy';
import { EmptyState } from '../../widgets/empty';
import { Hint } from '../../widgets/notes';
import { Popover } from '../../widgets/popover';
import { createAnswer } from '../../wire/report';
import type { SqlSchemaReport } from '../../wire/generated/SqlSchemaReport';
import type { EditorActions } from './code-editor';
import { placeOfError } from './error-place';
import { EXAMPLES, type Example } from './examples';
import { forgetQueries, pastQueries, rememberQuery } from './history';
import { Results } from './results';
import { createRunner, type Runner, type Scope } from './run';
import { SchemaTree } from './schema-tree';
import './sql.css';

const CodeEditor = lazy(() => import('./code-editor'));

const TREE_KEY = 'stepscope.sql-tables';

/** What was typed and has not run, by session: leaving the view does not lose it. */
const drafts = new Map<string, string>();

/** Leaves out what belongs to the rows of the query before. */
const CLEARED = Object.fromEntries(OF_ROWS.map((name) => [name, null]));

export default function SqlView(props: ViewProps) {
  const schema = createAnswer<SqlSchemaReport>(() => 'api/sql', false);
  return (
    <AnswerView answer={schema}>
      {(found) => (
        <Show when={found().is_available} fallback={<NotInstalled schema={found()} />}>
          <Workbench session={props.session} schema={found()} />
        </Show>
      )}
    </AnswerView>
  );
}

function NotInstalled(props: { schema: SqlSchemaReport }) {
  // Hints of the command line begin with a small letter.
  const hint = () => props.schema.hint.replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return (
    <EmptyState title={props.schema.message.replace(/[.]$/, '') || 'SQL is not installed'}>
      <Hint hint={hint()} />
    </EmptyState>
  );
}

function Workbench(props: { session: string; schema: SqlSchemaReport }) {
  const session = props.session || null;
  const scope: Scope = session === null ? null : [session];
  const runner = createRunner(scope);
  const [text, setText] = createSignal(getParam('query') ?? drafts.get(props.session) ?? '');
  const [hasTree, setTree] = createSignal(stored(TREE_KEY) !== 'hidden');
  let editor: EditorActions | undefined;
  let isNew = false;

  onCleanup(() => drafts.set(props.session, text()));
  createEffect(
    on(
      () => getParam('query'),
      (query) => {
        if (query === undefined) {
          runner.clear();
          return;
        }
        setText(query);
        rememberQuery(query, Date.now());
        runner.run(query, isNew);
        isNew = false;
      },
    ),
  );
  const run = () => {
    const query = text().trim();
    if (!query) return;
    if (query === getParam('query')) {
      rememberQuery(query, Date.now());
      runner.run(query, true);
      return;
    }
    isNew = true;
    setParams({ ...CLEARED, query }, false);
  };
  const runExample = ({ query, chart }: Example) => {
    isNew = true;
    const shown = chart ? { show: 'chart', chart } : {};
    setParams({ ...CLEARED, query, ...shown }, false);
  };
  const toggleTree = () => {
    setTree(!hasTree());
    store(TREE_KEY, hasTree() ? null : 'hidden');
  };
  onCleanup(
    registerShortcut({
      keys: ['Ctrl+Enter', 'Meta+Enter'],
      group: 'SQL',
      label: 'Run the query',
      inFields: true,
      run,
    }),
  );
  onCleanup(
    registerShortcut({
      keys: ['Escape'],
      group: 'SQL',
      label: 'Cancel the query',
      inFields: true,
      run: () => runner.cancel(),
    }),
  );
  const error = () => {
    const failed = runner.outcome();
    if (!failed?.error || failed.query !== text()) return null;
    return placeOfError(failed.error.message, failed.query);
  };
  const listed = () => EXAMPLES.filter(({ isOfSeveral }) => !isOfSeveral || session === null);

  return (
    <div class="page is-filling sql-page" classList={{ 'has-tree': hasTree() }}>
      <div class="sql-main">
        <Show when={session === null}>
          <LibraryTitle />
        </Show>
        <section class="card sql-editor" aria-label="Query">
          <Suspense fallback={<div class="sql-code is-loading" />}>
            <CodeEditor
              value={text()}
              onChange={setText}
              schema={props.schema}
              error={error()}
              onRun={run}
              onCancel={runner.cancel}
              onReady={(actions) => {
                editor = actions;
                if (!getParam('query')) actions.focus();
              }}
            />
          </Suspense>
          <div class="sql-tools">
            <RunButton runner={runner} isEmpty={text().trim() === ''} run={run} />
            <Show when={session !== null}>
              <span class="segmented" role="group" aria-label="Sessions that the query reads">
                <button aria-pressed="true">This session</button>
                <a
                  class="sql-scope"
                  href={hrefTo({ session: null, view: SQL_VIEW, params: text() ? { query: text() } : {} })}
                >
                  All sessions
                </a>
              </span>
            </Show>
            <span class="spacer" />
            <Popover label="Examples" class="quiet" isRight>
              {(close) => (
                <Choices
                  choices={listed().map((example) => ({
                    title: example.question,
                    text: example.query,
                    run: () => runExample(example),
                  }))}
                  close={close}
                />
              )}
            </Popover>
            <Show when={pastQueries().length > 0}>
              <Popover label="History" class="quiet" isRight>
                {(close) => (
                  <>
                    <Choices
                      choices={pastQueries().map(({ query, atEpochMs }) => ({
                        title: formatDate(atEpochMs),
                        text: query,
                        run: () => {
                          setText(query);
                          editor?.focus();
                        },
                      }))}
                      close={close}
                    />
                    <button
                      class="quiet"
                      onClick={() => {
                        forgetQueries();
                        close();
                      }}
                    >
                      Clear the history
                    </button>
                  </>
                )}
              </Popover>
            </Show>
            <Show when={getParam('query')}>
              <CopyButton text={commandLine} tip="Copy the command that prints these rows in a terminal">
                Copy command
              </CopyButton>
            </Show>
            <button class="quiet" aria-pressed={hasTree()} onClick={toggleTree}>
              Tables
            </button>
          </div>
        </section>
        <div class="sql-answer">
          <Show
            when={runner.outcome()}
            keyed
            fallback={
              <Show when={!runner.isRunning()}>
                <Start examples={listed()} onChoose={runExample} />
              </Show>
            }
          >
            {(outcome) => <Results outcome={outcome} scope={scope} session={session} />}
          </Show>
        </div>
        <p class="unseen" role="status">
          {statusOf(runner)}
        </p>
      </div>
      <Show when={hasTree()}>
        <SchemaTree schema={props.schema} onInsert={(written) => editor?.insert(written)} />
      </Show>
    </div>
  );
}

function LibraryTitle() {
  const count = () => sessions.data()?.sessions.length ?? 0;
  return (
    <div class="sql-title">
      <h1>SQL</h1>
      <span class="muted">
        over <a href="#/">{plural(count(), 'session')}</a>{' '}
        <Show when={sessions.data()?.root !== '.'}>
          <span class="mono">{sessions.data()?.root}</span>
        </Show>
      </span>
    </div>
  );
}

function RunButton(props: { runner: Runner; isEmpty: boolean; run: () => void }) {
  return (
    <>
      <Show
        when={props.runner.isRunning()}
        fallback={
          <button
            class="primary"
            disabled={props.isEmpty}
            data-tip="Run the query (Ctrl+Enter)"
            onClick={props.run}
          >
            Run
          </button>
        }
      >
        <button data-tip="Cancel the query (Escape)" onClick={() => props.runner.cancel()}>
          Cancel
        </button>
      </Show>
      <span class="sql-time muted number">{timeOf(props.runner)}</span>
    </>
  );
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)}\u202fs`;

function timeOf(runner: Runner): string {
  if (runner.isRunning()) return seconds(runner.elapsedMs());
  const outcome = runner.outcome();
  return outcome ? seconds(outcome.tookMs) : '';
}

function statusOf(runner: Runner): string {
  if (runner.isRunning()) return 'The query runs';
  const report = runner.outcome()?.report;
  return report ? plural(report.row_count, 'row') : '';
}

interface Choice {
  title: string;
  text: string;
  run: () => void;
}

function Choices(props: { choices: readonly Choice[]; close: () => void }) {
  return (
    <ul class="sql-choices-list plain-list">
      <For each={props.choices}>
        {(choice) => (
          <li>
            <button
              class="quiet sql-choice"
              data-tip={choice.text}
              onClick={() => {
                props.close();
                choice.run();
              }}
            >
              <span>{choice.title}</span>
              <span class="mono muted">{choice.text.replace(/\s+/g, ' ')}</span>
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

/** Before the first query. */
function Start(props: { examples: readonly Example[]; onChoose: (example: Example) => void }) {
  return (
    <section class="sql-start" aria-label="Examples">
      <h2>Start with a question</h2>
      <ul class="plain-list">
        <For each={props.examples}>
          {(example) => (
            <li>
              <button class="sql-example card" onClick={() => props.onChoose(example)}>
                <strong>{example.question}</strong>
                <code>{example.query}</code>
              </button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}
