/** The selected collective on all devices that took part: who arrived when, waited and transferred. */
import { createMemo, Show } from 'solid-js';

import { formatDuration, plural } from '../../format/numbers';
import { sentence } from '../../format/text';
import { hrefTo } from '../../shell/state';
import { coursesOf, type Course } from '../../timeline/participants';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { ParticipantRow } from '../../wire/generated/ParticipantRow';
import type { ParticipantsReport } from '../../wire/generated/ParticipantsReport';
import type { PanelProps } from './drawer';

export function Participants(props: PanelProps) {
  const report = () => {
    const found = props.timeline.participants[0]();
    return found?.is_collective ? found : null;
  };
  return (
    <Show when={report()}>
      {(found) => (
        <section class="slice-section" aria-label="Participants">
          <h3>
            Participants{' '}
            <span class="muted">
              {found().rows.length > 0 ? found().rows.length : 'unknown'}
            </span>
          </h3>
          <Show
            when={found().rows.length > 0}
            fallback={<p class="muted">{sentence(found().unknown)}</p>}
          >
            <Known {...props} report={found()} />
          </Show>
        </section>
      )}
    </Show>
  );
}

function Known(props: PanelProps & { report: ParticipantsReport }) {
  const state = localTableState(null);
  const last = () => props.report.rows.find((row) => row.is_last);
  const goTo = (row: ParticipantRow) =>
    void props.commands.goTo(row.slice, { startPs: row.start_ps, durationPs: row.slice_ps });
  return (
    <>
      <p class="slice-note">
        {plural(props.report.rows.length, 'device')} arrived within{' '}
        <span class="number">{formatDuration(props.report.skew_ps)}</span>, the last one{' '}
        <b>{last()?.device}</b>; after that it took{' '}
        <span class="number">{formatDuration(props.report.transfer_ps)}</span>.{' '}
        <Show when={props.report.clock_residual_ps !== null}>
          <span class="muted">
            On several hosts, with clocks aligned to within{' '}
            {formatDuration(props.report.clock_residual_ps)}.{' '}
          </span>
        </Show>
        <Show when={props.report.is_inferred}>
          <span class="muted">Which devices form a group was inferred from their order. </span>
        </Show>
        <a href={hrefTo({ view: 'collectives', params: { q: props.report.name } })}>
          All of {props.report.name}
        </a>
      </p>
      <div class="slice-table">
        <DataTable
          rows={props.report.rows}
          columns={columnsOf(props.report)}
          state={state}
          noun="participant"
          fileName="participants"
          isPlain
          isSelected={(row) => row.is_this}
          onRow={goTo}
        />
      </div>
    </>
  );
}

function columnsOf(report: ParticipantsReport): Column<ParticipantRow>[] {
  const courses = createMemo(
    () => new Map(coursesOf(report).map((course, index) => [report.rows[index]!, course])),
  );
  const time = (key: 'offset_ps' | 'wait_ps' | 'transfer_ps' | 'duration_ps', title: string) => ({
    key,
    title,
    value: (row: ParticipantRow) => row[key],
    kind: 'duration' as const,
    width: 96,
    scale: 'participants',
  });
  return [
    {
      key: 'device',
      title: 'Device',
      value: (row) => row.device,
      width: 180,
      cell: (row) => (
        <span>
          {row.device}{' '}
          <Show when={row.is_last}>
            <span class="participant-last" data-tip="The others waited for it">
              last
            </span>
          </Show>
        </span>
      ),
    },
    { ...time('offset_ps', 'Arrives'), figure: 'timeline.participants.offset' },
    { ...time('wait_ps', 'Waits'), figure: 'timeline.participants.wait' },
    { ...time('transfer_ps', 'Transfers'), figure: 'timeline.participants.transfer' },
    time('duration_ps', 'Duration'),
    {
      key: 'course',
      title: 'From the first arrival',
      value: () => null,
      width: 220,
      cell: (row) => <Bars course={courses().get(row)!} />,
    },
  ];
}

/** Waiting and transfer from the first arrival to the last end. */
function Bars(props: { course: Course }) {
  const box = (from: number, width: number) => ({
    left: `${100 * from}%`,
    width: `${100 * width}%`,
  });
  const { arrival, wait, transfer } = props.course;
  return (
    <span class="participant-course" aria-hidden="true">
      <span class="is-wait" style={box(arrival, wait)} />
      <span class="is-transfer" style={box(arrival + wait, transfer)} />
    </span>
  );
}
