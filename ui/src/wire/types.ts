/** What the server answers besides reports; reports are generated from Rust in `generated/`. */
import type { KernelsReport } from './generated/KernelsReport';
import type { Note } from './generated/Note';
import type { OpsReport } from './generated/OpsReport';
import type { OverviewReport } from './generated/OverviewReport';
import type { ScopesReport } from './generated/ScopesReport';
import type { StepsReport } from './generated/StepsReport';

/** `GET api/sessions`. */
export interface SessionsReport {
  /** The path the server was started with. */
  root: string;
  sessions: SessionSummary[];
  /** Files ignored or unreadable, with the reason. */
  notes: Note[];
}

/** One session; what is only known after opening is empty or `null` before. */
export interface SessionSummary {
  id: number;
  name: string;
  location: string;
  hosts: string[];
  /** Such as `8 × XLA:CPU`. */
  devices: string;
  size_bytes: number;
  modified_epoch_ms: number | null;
  duration_ps: number | null;
  step_count: number | null;
  warnings: SessionWarning[];
  state: SessionState;
  /** Why opening failed. */
  error: string;
}

export type SessionState = 'closed' | 'opening' | 'open' | 'failed';

export interface SessionWarning {
  kind: string;
  host: string;
  message: string;
  hint: string;
}

/** `GET api/sessions/{session}/progress`. */
export interface ProgressReport {
  state: SessionState;
  done_bytes: number;
  total_bytes: number;
  message: string;
}

/** One entry of `GET api/analyses`. */
export interface AnalysisEntry {
  name: string;
  aliases: string[];
  summary: string;
  options: AnalysisOption[];
}

export interface AnalysisOption {
  name: string;
  help: string;
  default: string | null;
  values: string[];
}

/** Reports by the name of their analysis. */
export interface Reports {
  overview: OverviewReport;
  steps: StepsReport;
  ops: OpsReport;
  kernels: KernelsReport;
  scopes: ScopesReport;
}
