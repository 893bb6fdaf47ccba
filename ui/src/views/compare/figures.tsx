/** Figures of the sessions side by side, each against the baseline's. */
import { For, Show } from 'solid-js';

import { byEvidence, changeOf, type Better } from '../../compare/change';
import { format, MISSING, type Kind } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { TextChange } from '../../widgets/change';
import { DividedBar, Legend } from '../../widgets/bars';
import type { CompareReport } from '../../wire/generated/CompareReport';
import type { ComparedSession } from '../../wire/generated/ComparedSession';
import { sessionColor } from './colors';

interface Line {
  key: string;
  title: string;
  kind: Kind;
  better: Better;
  /** It changes with the step, and by no more than noise where that does. */
  isOfStep?: boolean;
  value: (session: ComparedSession) => number | null;
}

const LINES: Line[] = [
  {
    key: 'step_ps',
    title: 'Step',
    kind: 'duration',
    better: 'less',
    isOfStep: true,
    value: (one) => one.step_ps,
  },
  {
    key: 'all_steps_ps',
    title: 'Step, outliers included',
    kind: 'duration',
    better: 'less',
    isOfStep: true,
    value: (one) => one.all_steps_ps,
  },
  {
    key: 'busy_ratio',
    title: 'Device busy',
    kind: 'ratio',
    better: 'more',
    isOfStep: true,
    value: (one) => one.busy_ratio,
  },
  {
    key: 'launch_count',
    title: 'Launches per step',
    kind: 'count',
    better: 'less',
    value: (one) => one.launch_count,
  },
  {
    key: 'collective_bytes',
    title: 'Collective bytes per step',
    kind: 'bytes',
    better: 'neither',
    value: (one) => one.collective_bytes,
  },
  {
    key: 'memory_peak_bytes',
    title: 'Memory peak',
    kind: 'bytes',
    better: 'less',
    value: (one) => one.memory_peak_bytes,
  },
  {
    key: 'compilation_count',
    title: 'Compilations',
    kind: 'count',
    better: 'less',
    value: (one) => one.compilation_count,
  },
  {
    key: 'compilation_ps',
    title: 'Compiling',
    kind: 'duration',
    better: 'less',
    value: (one) => one.compilation_ps,
  },
];

export function SessionFigures(props: { report: CompareReport }) {
  const first = () => props.report.sessions[0];
  const stepRule = (index: number) =>
    byEvidence(props.report.differences.find((each) => each.session === index)?.step?.evidence);
  const lines = () =>
    LINES.filter((line) => props.report.sessions.some((session) => line.value(session) !== null));
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
              <th />
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
                      const value = () => line.value(session);
                      const before = () => (first() ? line.value(first()!) : null);
                      const change = () =>
                        index() === 0
                          ? null
                          : changeOf(value(), before(), {
                              ...line,
                              ...(line.isOfStep && {
                                isNoise: stepRule(index()).isNoise,
                                better: stepRule(index()).better === 'less' ? line.better : 'neither',
                              }),
                            });
                      return (
                        <td class="number">
                          <span class="compare-value">
                            {value() === null ? MISSING : format(line.kind, round(line.kind, value()))}
                          </span>
                          <Show when={line.key === 'memory_peak_bytes' && session.memory_peak_source}>
                            {(source) => <span class="muted"> by {source()}</span>}
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
