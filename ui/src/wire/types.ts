/** Reports by the name of their analysis, and what else the server answers. All generated from Rust. */
import type { CollectivesReport } from './generated/CollectivesReport';
import type { CompileReport } from './generated/CompileReport';
import type { CompareReport } from './generated/CompareReport';
import type { CountersReport } from './generated/CountersReport';
import type { CriticalPathReport } from './generated/CriticalPathReport';
import type { AdviceReport } from './generated/AdviceReport';
import type { BuffersReport } from './generated/BuffersReport';
import type { GraphReport } from './generated/GraphReport';
import type { HeapReport } from './generated/HeapReport';
import type { HostsReport } from './generated/HostsReport';
import type { IdleReport } from './generated/IdleReport';
import type { InputReport } from './generated/InputReport';
import type { KernelsReport } from './generated/KernelsReport';
import type { OpTreeReport } from './generated/OpTreeReport';
import type { MemoryReport } from './generated/MemoryReport';
import type { OpsReport } from './generated/OpsReport';
import type { OverviewReport } from './generated/OverviewReport';
import type { RegionsReport } from './generated/RegionsReport';
import type { RequestsReport } from './generated/RequestsReport';
import type { RooflineReport } from './generated/RooflineReport';
import type { ScopesReport } from './generated/ScopesReport';
import type { StepsReport } from './generated/StepsReport';
import type { VerdictReport } from './generated/VerdictReport';
import type { WhatIfReport } from './generated/WhatIfReport';

export type { CompareReport } from './generated/CompareReport';
export type { AnalysisEntry } from './generated/AnalysisEntry';
export type { ProgressReport } from './generated/ProgressReport';
export type { SessionsReport } from './generated/SessionsReport';
export type { SessionSummary } from './generated/SessionSummary';

/** Questions about several sessions, and the type of the answer. */
export interface Comparisons {
  compare: CompareReport;
}

/** Analyses that answer a report as JSON, and its type. */
export interface Reports {
  overview: OverviewReport;
  verdict: VerdictReport;
  steps: StepsReport;
  regions: RegionsReport;
  ops: OpsReport;
  op_tree: OpTreeReport;
  roofline: RooflineReport;
  kernels: KernelsReport;
  counters: CountersReport;
  scopes: ScopesReport;
  collectives: CollectivesReport;
  hosts: HostsReport;
  heap: HeapReport;
  idle: IdleReport;
  input: InputReport;
  compile: CompileReport;
  requests: RequestsReport;
  critical_path: CriticalPathReport;
  what_if: WhatIfReport;
  memory: MemoryReport;
  advice: AdviceReport;
  graph: GraphReport;
  buffers: BuffersReport;
}
