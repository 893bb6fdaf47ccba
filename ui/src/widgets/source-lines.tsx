/** The lines of a source file around one, if the server may show them; they are requested when opened. */
import { createEffect, createSignal, For, on, Show } from 'solid-js';

import { createAnswer } from '../wire/report';
import { urlOf } from '../wire/client';
import type { SourceReport } from '../wire/generated/SourceReport';
import { Prose } from './prose';
import './source-lines.css';

export function SourceLines(props: { session: string; source: string }) {
  const [isOpen, setOpen] = createSignal(false);
  const answer = createAnswer<SourceReport>(() =>
    isOpen() ? urlOf(`api/sessions/${props.session}/source`, { source: props.source }) : null,
  );
  return (
    <details
      class="source-lines"
      open={isOpen()}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>Code around it</summary>
      <Show
        when={answer.error()}
        fallback={
          <Show when={answer.data()} fallback={<p class="muted">Reading …</p>}>
            {(report) => <Lines report={report()} />}
          </Show>
        }
      >
        {(error) => (
          <p class="muted">
            {error().message} <Prose text={error().hint} />
          </p>
        )}
      </Show>
    </details>
  );
}

function Lines(props: { report: SourceReport }) {
  let list!: HTMLOListElement;
  // The line itself may start far to the right.
  createEffect(on(() => props.report, () => (list.scrollLeft = 0)));
  return (
    <ol
      ref={list}
      class="mono"
      start={props.report.first_line}
      data-tip={props.report.path}
      tabindex="0"
      aria-label={`Lines of ${props.report.path}`}
    >
      <For each={props.report.lines}>
        {(line, at) => {
          const isIt = () => props.report.first_line + at() === props.report.line;
          return (
            <li classList={{ 'is-it': isIt() }} aria-current={isIt() ? 'true' : undefined}>
              {line || ' '}
            </li>
          );
        }}
      </For>
    </ol>
  );
}
