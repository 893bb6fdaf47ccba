/** Whether this session meets its budgets, compared with the baseline if one is chosen. */
import { For, Show } from 'solid-js';

import { formatFigure } from '../../format/figure-unit';
import { USUAL_BUDGETS } from '../../shell/session';
import { baseline, getParam, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { urlOf } from '../../wire/client';
import type { CheckedBudget } from '../../wire/generated/CheckedBudget';
import type { CheckReport } from '../../wire/generated/CheckReport';
import { createAnswer } from '../../wire/report';
import { boundsOf, placesOf, WORDS } from './rows';
import './check.css';

/** The budgets in the URL. */
const budgets = () => getParam('budget') ?? USUAL_BUDGETS;

export default function CheckView(props: ViewProps) {
  const report = createAnswer<CheckReport>(() => {
    const { steps, time, device, host } = selectionParams();
    const options = { budget: budgets(), steps, time, device, host };
    const against = baseline();
    const ids = against === null ? [props.session] : [against, props.session];
    const rest = urlOf('', options).replace('?', '&');
    return `api/comparisons/check?${ids.map((id) => `session=${id}`).join('&')}${rest}`;
  });
  return (
    <div class="page">
      <section class="card">
        <header>
          <h2>Budgets</h2>
          <span class="muted">
            <Show when={baseline() === null} fallback="compared with the baseline">
              without a baseline, only bounds such as <code>step_time&lt;=150ms</code> can be checked
            </Show>
          </span>
        </header>
        <Form />
      </section>
      <AnswerView answer={report}>
        {(data) => (
          <div class="check-page">
            <section class={`card check-answer is-${data().verdict}`} aria-label="Answer">
              {data().conclusion.replace(/^n(?=o(thing)? )/, 'N')}
            </section>
            <Show when={baseline() === null && boundsOf(data().rows)} fallback={<Warnings notes={data().notes} />}>
              {(bounds) => <NoBaseline bounds={bounds()} />}
            </Show>
            <section class="card">
              <header>
                <h2 data-figure="check.rows.verdict">Each budget</h2>
                <span class="muted">value, confidence interval, and limit</span>
              </header>
              <ul class="check-rows">
                <For each={data().rows}>{(row) => <Row row={row} />}</For>
              </ul>
            </section>
            <Causes report={data()} />
            <Remarks notes={data().notes} />
          </div>
        )}
      </AnswerView>
    </div>
  );
}

/** What to do where budgets limit changes, and there is nothing that they could be changes from. */
function NoBaseline(props: { bounds: string }) {
  return (
    <section class="card check-start" aria-label="Without a baseline">
      <p>
        These budgets limit the change from an earlier session. Choose it under <b>Baseline</b> above,
        or use the figures of this session as limits.
      </p>
      <button onClick={() => setParams({ budget: props.bounds }, false)}>
        Limit to these figures
      </button>
      <code>{props.bounds}</code>
    </section>
  );
}

/** The budgets as text, as the command line takes them. */
function Form() {
  let field: HTMLInputElement | undefined;
  return (
    <form
      class="check-form"
      onSubmit={(event) => {
        event.preventDefault();
        const text = field?.value.trim() ?? '';
        setParams({ budget: text === '' || text === USUAL_BUDGETS ? null : text }, false);
      }}
    >
      <input
        type="text"
        class="mono"
        aria-label="Budgets"
        value={budgets()}
        ref={(element) => (field = element)}
        spellcheck={false}
      />
      <button type="submit">Check</button>
    </form>
  );
}

function Row(props: { row: CheckedBudget }) {
  const places = () => placesOf(props.row);
  const text = (value: number | null) => formatFigure(props.row.unit, value);
  const percent = (place: number) => `${100 * place}%`;
  return (
    <li class={`check-row is-${props.row.verdict}`}>
      <strong class="check-verdict">{WORDS[props.row.verdict]}</strong>
      <span class="mono">{props.row.budget}</span>
      <Show when={places()} fallback={<span class="muted">not checked</span>}>
        {(found) => (
          <span class="check-bar" aria-hidden="true">
            <span class="check-bar-value" style={{ width: percent(found().value) }} />
            <span
              class="check-bar-interval"
              style={{ left: percent(found().low), width: percent(found().high - found().low) }}
            />
            <span class="check-bar-limit" style={{ left: percent(found().limit) }} />
          </span>
        )}
      </Show>
      <span class="number">
        {text(props.row.value)}
        <Show when={props.row.limit !== null}>
          <span class="muted"> / {text(props.row.limit)}</span>
        </Show>
      </span>
      <p class="muted">{props.row.text}</p>
    </li>
  );
}

function Causes(props: { report: CheckReport }) {
  return (
    <Show when={props.report.baseline === 'sessions'}>
      <section class="card">
        <header>
          <h2>Why the step differs</h2>
          <span class="muted">{props.report.comparison}</span>
        </header>
        <Show
          when={props.report.causes.length > 0}
          fallback={
            <EmptyState title="No causes found">
              Nothing differs by more than noise.
            </EmptyState>
          }
        >
          <ul class="check-causes">
            <For each={props.report.causes}>{(cause) => <li>{cause.text}</li>}</For>
          </ul>
        </Show>
      </section>
    </Show>
  );
}
