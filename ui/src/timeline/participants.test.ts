import { describe, expect, it } from 'vitest';

import type { ParticipantRow } from '../wire/generated/ParticipantRow';
import type { ParticipantsReport } from '../wire/generated/ParticipantsReport';
import { coursesOf, participantsOf } from './participants';

const row = (changes: Partial<ParticipantRow>): ParticipantRow => ({
  device: 'CPU:0',
  slice: { track: 0, lane: 0, index: 0 },
  start_ps: 0,
  slice_ps: 10,
  duration_ps: 100,
  offset_ps: 0,
  wait_ps: 0,
  transfer_ps: 100,
  is_last: false,
  is_this: false,
  ...changes,
});

const report = {
  is_collective: true,
  skew_ps: 60,
  rows: [
    row({ offset_ps: -60, wait_ps: 60, transfer_ps: 40, is_this: true }),
    row({ device: 'CPU:1', duration_ps: 40, transfer_ps: 40, is_last: true }),
  ],
} as ParticipantsReport;

describe('participants', () => {
  it('are outlined except for the selected one', () => {
    const shown = participantsOf(report);
    expect(shown.map((one) => [one.durationPs, one.isLast])).toEqual([[10, true]]);
    expect(participantsOf(null)).toEqual([]);
  });

  it('share one scale from the first arrival to the last end', () => {
    expect(coursesOf(report)).toEqual([
      { arrival: 0, wait: 0.6, transfer: 0.4 },
      { arrival: 0.6, wait: 0, transfer: 0.4 },
    ]);
  });
});
