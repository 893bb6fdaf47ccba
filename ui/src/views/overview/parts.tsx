/** The mean step divided into its parts. */
import { For, Show } from 'solid-js';

import { byEvidence } from '../../compare/change';
import { columnScale, formatDuration } from '../../format/numbers';
import { partColor, PARTS, partTitle } from '../../format/palette';
import { comparison } from '../../shell/baseline';
import { DividedBar } from '../../widgets/bars';
import { compareFigure, FigureChange } from '../../widgets/kpi';
import type { OverviewReport } from '../../wire/generated/OverviewReport';

/** The comparison says whether a part changed by more than noise. */
const partEvidence = (part: string) =>
  comparison.data()?.differences[0]?.parts.find((each) => each.part === part)?.time.evidence;

export function StepParts(props: { report: OverviewReport }) {
  const parts = () =>
    PARTS.map(({ part }) => props.report.step_parts.find((entry) => entry.part === part)).filter(
      (entry) => entry !== undefined,
    );
  const some = () => parts().filter((entry) => entry.mean_ps > 0);
  const none = () => parts().filter((entry) => entry.mean_ps <= 0);
  const mean = () => props.report.step_time_ps?.mean ?? 0;
  const times = () =>
    columnScale(
      'duration',
      parts().map((entry) => entry.mean_ps),
    );
  const shares = () =>
    columnScale(
      'ratio',
      parts().map((entry) => entry.ratio),
    );
  return (
    <section class="card">
      <header>
        <h2 data-figure="steps.step_parts">Where step time goes</h2>
        <span class="spacer" />
        <span class="muted number">mean {formatDuration(Math.round(mean()))}</span>
      </header>
      <div class="card-body parts">
        <DividedBar
          isTall
          total={mean()}
          pieces={some().map((entry) => ({
            title: partTitle(entry.part),
            value: entry.mean_ps,
            color: partColor(entry.part),
          }))}
        />
        <table>
          <thead>
            <tr>
              <th>Part</th>
              <th>{times().unit}</th>
              <th>%</th>
            </tr>
          </thead>
          <tbody>
            <For each={some()}>
              {(entry) => (
                <tr>
                  <td data-figure={`steps.${entry.part}`}>
                    <span class="swatch" style={{ background: partColor(entry.part) }} />{' '}
                    {partTitle(entry.part)}
                  </td>
                  <td class="number">
                    {times().text(entry.mean_ps)}
                    <FigureChange
                      compare={compareFigure(
                        props.report,
                        (report: OverviewReport) =>
                          report.step_parts.find((other) => other.part === entry.part)?.mean_ps,
                        'overview.step_parts.mean_ps',
                        byEvidence(partEvidence(entry.part)),
                      )}
                    />
                  </td>
                  <td class="number">{shares().text(entry.ratio)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <Show when={none().length > 0}>
          <p class="muted parts-none">
            None:{' '}
            {none()
              .map((entry) => partTitle(entry.part).toLowerCase())
              .join(', ')}
          </p>
        </Show>
      </div>
    </section>
  );
}
