/** The participants of a collective, as the tracks and the list show them. */
import type { ParticipantRow } from '../wire/generated/ParticipantRow';
import type { ParticipantsReport } from '../wire/generated/ParticipantsReport';
import type { Participant } from './scene';

/** What is outlined on the tracks: every participant except the selected one. */
export function participantsOf(report: ParticipantsReport | null): Participant[] {
  const others = report?.rows.filter((row) => !row.is_this) ?? [];
  return others.map((row) => ({
    ref: row.slice,
    startPs: row.start_ps,
    durationPs: row.slice_ps,
    isLast: row.is_last,
  }));
}

/** Where a participant waits and where it transfers, as shares of the time from the first arrival. */
export interface Course {
  arrival: number;
  wait: number;
  transfer: number;
}

/** The course of each participant, on one scale. */
export function coursesOf(report: ParticipantsReport): Course[] {
  const arrivedPs = (row: ParticipantRow) => report.skew_ps + row.offset_ps;
  const ends = report.rows.map((row) => arrivedPs(row) + row.duration_ps);
  const wholePs = Math.max(1, ...ends);
  return report.rows.map((row) => ({
    arrival: arrivedPs(row) / wholePs,
    wait: row.wait_ps / wholePs,
    transfer: row.transfer_ps / wholePs,
  }));
}
