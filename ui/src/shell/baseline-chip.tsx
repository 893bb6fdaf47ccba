/** The baseline in the selection bar: choose a session, swap, clear. */
import { Show } from 'solid-js';

import { changeOfTime, STEP_CHANGE_MEANING } from '../compare/change';
import { TextChange } from '../widgets/change';
import { CodeBlock } from '../widgets/copy';
import { Popover } from '../widgets/popover';
import { contextMenu } from '../widgets/menu/menu';
import type { SessionSummary } from '../wire/types';
import { comparison } from './baseline';
import { clearBaseline } from './clearing';
import { Icon } from './icons';
import { comparable, sessions, summaryOf } from './session';
import { SessionChoice } from './session-choice';
import { calledInShort } from './session-order';
import { baseline, hrefTo, navigate, route, setBaseline, swapBaseline } from './state';

const nameOf = (session: SessionSummary | undefined) =>
  session && calledInShort(session, sessions.data()?.root ?? '');

export function BaselineChip() {
  const isSet = () => baseline() !== null;
  return (
    <>
      <span
        class="chip"
        classList={{ 'is-set': isSet() }}
        onContextMenu={contextMenu(() =>
          isSet()
            ? [
                { title: 'Swap with the baseline', run: swapBaseline },
                { title: 'Show what changed', run: () => navigate({ view: 'compare' }) },
                'separator',
                { title: 'Clear the baseline', run: clearBaseline },
              ]
            : [],
        )}
      >
        <Popover
          tip="The session that every view is compared with"
          label={
            <>
              <span class="chip-title">Baseline</span>
              <span class="chip-value">
                {isSet() ? (nameOf(summaryOf(baseline())) ?? `session ${baseline()}`) : 'none'}
              </span>
            </>
          }
        >
          {(close) => <Choice close={close} />}
        </Popover>
        <Show when={isSet()}>
          <button
            class="chip-clear"
            aria-label="Swap with the baseline"
            data-tip="Swap: show the baseline, compared with this session"
            onClick={swapBaseline}
          >
            <Icon name="swap" />
          </button>
          <button class="chip-clear" aria-label="Clear the baseline" onClick={clearBaseline}>
            <Icon name="close" />
          </button>
        </Show>
      </span>
      <Show when={isSet()}>
        <StepChange />
      </Show>
    </>
  );
}

/** The change in step time, as a link to the full comparison. */
function StepChange() {
  const step = () => comparison.data()?.differences[0]?.step;
  const change = () => (comparison.error() ? null : changeOfTime(step()));
  return (
    <a
      class="baseline-answer"
      href={hrefTo({ view: 'compare' })}
      data-tip={change() ? STEP_CHANGE_MEANING : undefined}
    >
      <Show
        when={comparison.error()}
        fallback={
          <Show
            when={change()}
            fallback={
              <span class="muted">
                {comparison.isLoading() ? 'comparing …' : 'no steps to compare'}
              </span>
            }
          >
            {(found) => (
              <>
                <span class="muted">Step</span>{' '}
                <TextChange change={found()} kind="duration" />
                <Show when={found().tone === 'noise'}>
                  <span class="muted"> noise</span>
                </Show>
              </>
            )}
          </Show>
        }
      >
        {(error) => (
          <span class="muted" data-tip={[error().message, error().hint].join('\n')}>
            not comparable
          </span>
        )}
      </Show>
    </a>
  );
}

function Choice(props: { close: () => void }) {
  const hasTrace = () => summaryOf(route.session)?.kind.includes('trace') ?? true;
  const all = () =>
    (hasTrace() ? comparable() : (sessions.data()?.sessions ?? [])).filter(
      (session) => session.key !== route.session,
    );
  return (
    <div class="baseline-choice">
      <p class="muted">
        Compare this session with another one: tables, key figures, trees and timelines then show
        what changed.
      </p>
      <Show
        when={all().length > 0}
        fallback={
          <>
            <p>
              This is the only session here. Record a second one into the same log directory, or
              open both:
            </p>
            <CodeBlock code="stepscope compare ./before ./after" />
          </>
        }
      >
        <SessionChoice
          sessions={all()}
          chosen={baseline()}
          onChoose={(key) => {
            setBaseline(key);
            props.close();
          }}
        />
      </Show>
    </div>
  );
}
