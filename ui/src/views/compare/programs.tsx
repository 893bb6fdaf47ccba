/** What else differs: compiled programs, versions, flags, manifests. */
import { For, Show } from 'solid-js';

import { formatCount } from '../../format/numbers';
import type { ComparedFact } from '../../wire/generated/ComparedFact';
import type { ComparedProgram } from '../../wire/generated/ComparedProgram';
import type { SessionDifference } from '../../wire/generated/SessionDifference';

const MATCHED: Record<string, string> = {
  same: 'unchanged',
  changed: 'changed',
  new: 'only here',
  gone: 'only in the baseline',
};

export function Programs(props: { difference: SessionDifference }) {
  const programs = () => props.difference.programs;
  const different = () => programs().filter((program) => program.matched !== 'same');
  const same = () => programs().filter((program) => program.matched === 'same');
  return (
    <section class="card">
      <header>
        <h2 data-figure="compare.programs">Programs</h2>
        <span class="muted">
          {programs().length === 0
            ? ''
            : different().length === 0
              ? 'no differences'
              : `${formatCount(different().length)} of ${formatCount(programs().length)} differ`}
        </span>
      </header>
      <div class="card-body">
        <Show
          when={programs().length > 0}
          fallback={
            <p class="muted">
              Neither session contains compiled programs (XLA's HLO). They are recorded unless
              <code> enable_hlo_proto </code> is off.
            </p>
          }
        >
          <For each={different().filter((program) => program.matched === 'changed')}>
            {(program) => <Program program={program} />}
          </For>
          <For each={different().filter((program) => program.matched !== 'changed')}>
            {(program) => (
              <p class="compare-program">
                <strong class="mono">{program.other || program.baseline}</strong>{' '}
                <span class="muted">{MATCHED[program.matched] ?? program.matched}</span>
              </p>
            )}
          </For>
          <Show when={same().length > 0}>
            <p class="muted">
              The same in both:{' '}
              <span class="mono">
                {same()
                  .map((program) => program.other || program.baseline)
                  .slice(0, 12)
                  .join(', ')}
              </span>
              {same().length > 12 ? ` and ${same().length - 12} more` : ''}
            </p>
          </Show>
        </Show>
      </div>
    </section>
  );
}

function Program(props: { program: ComparedProgram }) {
  const lists = () =>
    [
      { title: 'Only here', sign: '+', names: props.program.added, count: props.program.added_count },
      {
        title: 'Only in the baseline',
        sign: '−',
        names: props.program.removed,
        count: props.program.removed_count,
      },
      {
        title: 'Changed',
        sign: '≠',
        names: props.program.changed,
        count: props.program.changed_count,
      },
    ].filter((list) => list.count > 0);
  return (
    <details class="compare-program" open={lists().length > 0 && lists().length < 4}>
      <summary>
        <strong class="mono">{props.program.other || props.program.baseline}</strong>
        <span class="muted">{MATCHED[props.program.matched] ?? props.program.matched}</span>
        <For each={lists()}>
          {(list) => (
            <span class="compare-count number" data-tip={list.title}>
              {list.sign}
              {formatCount(list.count)}
            </span>
          )}
        </For>
        <Show
          when={
            props.program.baseline_instructions !== null &&
            props.program.other_instructions !== null
          }
        >
          <span class="muted number">
            {formatCount(props.program.baseline_instructions)} →{' '}
            {formatCount(props.program.other_instructions)} instructions
          </span>
        </Show>
      </summary>
      <Show when={props.program.opcodes.length > 0}>
        <p class="compare-opcodes number">
          <For each={props.program.opcodes}>
            {(opcode) => (
              <span>
                <span class="mono">{opcode.opcode}</span>{' '}
                <span class="muted">
                  {opcode.baseline_count} → {opcode.other_count}
                </span>
              </span>
            )}
          </For>
        </p>
      </Show>
      <div class="compare-lists">
        <For each={lists()}>
          {(list) => (
            <div>
              <h3>{list.title}</h3>
              <ul class="mono" tabindex="0" aria-label={list.title}>
                <For each={list.names}>{(name) => <li data-tip={name}>{name}</li>}</For>
              </ul>
              <Show when={list.count > list.names.length}>
                <p class="muted">and {formatCount(list.count - list.names.length)} more</p>
              </Show>
            </div>
          )}
        </For>
      </div>
    </details>
  );
}

export function Environment(props: { difference: SessionDifference }) {
  const facts = (): readonly ComparedFact[] => props.difference.environment;
  return (
    <section class="card">
      <header>
        <h2 data-figure="compare.environment">Environment, flags, options</h2>
        <span class="muted">{facts().length === 0 ? 'no recorded differences' : ''}</span>
      </header>
      <Show when={facts().length > 0}>
        <div class="card-body">
          <table class="compare-facts">
            <thead>
              <tr>
                <th>
                  <span class="unseen">Figure</span>
                </th>
                <th>Baseline</th>
                <th>Here</th>
              </tr>
            </thead>
            <tbody>
              <For each={facts()}>
                {(fact) => (
                  <tr>
                    <td>{fact.name.replace(/_/g, ' ')}</td>
                    <td class="mono">{fact.baseline || <span class="muted">not recorded</span>}</td>
                    <td class="mono">{fact.other || <span class="muted">not recorded</span>}</td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </div>
      </Show>
    </section>
  );
}
