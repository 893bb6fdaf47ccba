/** What the figures of a session in the list mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  session_kind: {
    title: 'Kind',
    definition: 'What was recorded: a trace of what ran when, memory snapshots of what was alive, or both.',
    formula: '',
    unit: '',
  },
  session_step_ps: {
    title: 'Step time',
    definition:
      'Mean step time, as in the overview. Known for sessions that are open or were indexed by `stepscope index`; Measure all steps opens the others.',
    formula: '',
    unit: TIME,
  },
  session_mfu: {
    title: 'MFU',
    definition: 'Model FLOPs utilization, as in the overview. Known for sessions that were indexed by `stepscope index`.',
    formula: '',
    unit: 'ratio',
  },
  session_verdict: {
    title: 'Verdict',
    definition:
      'The worst verdict on a key figure of the overview; the figures that have it are shown on hover. Known for sessions that were indexed by `stepscope index`.',
    formula: '',
    unit: '',
  },
  session_captured: {
    title: 'Captured',
    definition:
      'When the capture began, as recorded in it; known once the session is open or indexed. Modified is when its newest file was written: a copy changes it.',
    formula: '',
    unit: '',
  },
  session_commit: {
    title: 'Commit',
    definition: 'Commit of the program, where the capture recorded it. Known for sessions that were indexed by `stepscope index`.',
    formula: '',
    unit: '',
  },
  session_program: {
    title: 'Program',
    definition:
      'The program whose work has the most self time on devices, by its name. Known once the session has been opened.',
    formula: '',
    unit: '',
  },
  session_tags: {
    title: 'Tags',
    definition:
      'Words that the capturing program gave the capture: `profile_trace(…, tags=["baseline"])` or the variable PROFILE_TAGS. Known once the session has been opened.',
    formula: '',
    unit: '',
  },
  session_number: {
    title: 'Number',
    definition: 'The number in `stepscope sessions` and for `--session`: 0 is the latest capture, by the time in its name, otherwise by its files. Numbers change when sessions are added.',
    formula: '',
    unit: '',
  },
  session_duration_ps: {
    title: 'Duration',
    definition: 'First to last recorded slice. Known once the session has been opened.',
    formula: '',
    unit: TIME,
  },
};
