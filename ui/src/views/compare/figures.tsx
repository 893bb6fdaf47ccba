/** Figures of the sessions side by side, each compared with the baseline's. */
import { For, Show } from 'solid-js';

import { betterOf, byEvidence, changeOf } from '../../compare/change';
import { format, MISSING, type Kind } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { TextChange } from '../../widgets/change';
import { DividedBar, Legend } from '../../widgets/bars';
import type { CompareReport } from '../../wire/generated/CompareReport';
import type { ComparedSession } from '../../wire/generated/ComparedSession';
import { TABLES } from '../../wire/generated/tables';
import { sessionColor } from './colors';

/** The value of a line, from a column of the sessions. */
const value = (one: ComparedSession, key: Key) => one[key];

const KEYS = [
  'step_ps',
  'all_steps_ps',
  'busy_ratio',
  'launch_count',
  'collective_bytes',
  'memory_peak_bytes',
  'compilation_count',
  'compilation_ps',
] as const;
type Key = (typeof KEYS)[number];

/** They depend on the step time, so their change is noise where that of the step time is. */
const OF_STEP: readonly Key[] = ['step_ps', 'busy_ratio'];

/** Shown without a change: that of a step is the change of the typical step, everywhere. */
const UNCOMPARED: readonly Key[] = ['all_steps_ps'];

const LINES = KEYS.map((key) => {
  const column = TABLES['compare.sessions'][key]!;
  return { ...column, key, kind: column.kind ?? 'count', better: betterOf({ ...column, key }) };
});

export function SessionFigures(props: { report: CompareReport }) {
  const first = () => props.report.sessions[0];
  const stepRule = (index: number) =>
    byEvidence(props.report.differences.find((each) => each.session === index)?.step?.evidence);
  const lines = () =>
    LINES.filter((line) => props.report.sessions.some((session) => value(session, line.key) !== null));
  const longest = () => Math.max(1, ...props.report.sessions.map((one) => one.step_ps ?? 0));
  const parts = () =>
    PARTS.map((part, index) => ({ ...part, index })).filter(({ index }) =>
      props.report.sessions.some((session) => (session.parts_ps[index] ?? 0) > 0),
    );
  const round = (kind: Kind, value: number | null) =>
    value !== null && (kind === 'duration' || kind === 'bytes') ? Math.round(value) : value;
  return (
    <section class="card compare-figures">
      <header>
        <h2>Side by side</h2>
        <span class="spacer" />
        <Legend entries={parts().map(({ title, color }) => ({ title, color }))} />
      </header>
      <div class="compare-figures-scroll">
        <table>
          <thead>
            <tr>
              <th>
                <span class="unseen">Figure</span>
              </th>
              <For each={props.report.sessions}>
                {(session, index) => (
                  <th>
                    <span class="swatch" style={{ background: sessionColor(index()) }} />{' '}
                    {session.name}
                    <span class="muted">{index() === 0 ? ' baseline' : ''}</span>
                  </th>
                )}
              </For>
            </tr>
          </thead>
          <tbody>
            <tr>
              <td data-figure="steps.step_parts">Parts of the step</td>
              <For each={props.report.sessions}>
                {(session) => (
                  <td>
                    <DividedBar
                      total={longest()}
                      isTall
                      tip={parts()
                        .map(
                          ({ title, index }) =>
                            `${title} ${format('duration', Math.round(session.parts_ps[index] ?? 0))}`,
                        )
                        .join('\n')}
                      pieces={parts().map(({ title, color, index }) => ({
                        title,
                        color,
                        value: session.parts_ps[index] ?? 0,
                      }))}
                    />
                  </td>
                )}
              </For>
            </tr>
            <For each={lines()}>
              {(line) => (
                <tr>
                  <td data-figure={`compare.sessions.${line.key}`}>{line.title}</td>
                  <For each={props.report.sessions}>
                    {(session, index) => {
                      const own = () => value(session, line.key);
                      const before = () => (first() ? value(first()!, line.key) : null);
                      const change = () =>
                        index() === 0 || UNCOMPARED.includes(line.key)
                          ? null
                          : changeOf(own(), before(), {
                              ...line,
                              ...(OF_STEP.includes(line.key) && {
                                isNoise: stepRule(index()).isNoise,
                                better: stepRule(index()).better === 'less' ? line.better : 'neither',
                              }),
                            });
                      return (
                        <td class="number">
                          <span class="compare-value">
                            {own() === null ? MISSING : format(line.kind, round(line.kind, own()))}
                          </span>
                          <Show when={line.key === 'memory_peak_bytes' && session.memory_peak_source}>
                            {(source) => <span class="muted"> from {source()}</span>}
                          </Show>
                          <Show when={change()}>
                            {(found) => (
                              <span class="compare-change">
                                <TextChange change={found()} kind={line.kind} />
                              </span>
                            )}
                          </Show>
                        </td>
                      );
                    }}
                  </For>
                </tr>
              )}
            </For>
            <tr>
              <td>Devices</td>
              <For each={props.report.sessions}>{(session) => <td>{session.devices}</td>}</For>
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}
