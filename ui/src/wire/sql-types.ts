/** What `api/sql` answers. */

export interface SqlColumnReport {
  key: string;
  unit: string;
  meaning: string;
}

export interface SqlTableReport {
  name: string;
  meaning: string;
  columns: SqlColumnReport[];
}

export interface SqlViewReport extends SqlTableReport {
  query: string;
}

export interface SqlFunctionReport {
  signature: string;
  meaning: string;
}

export interface SqlSchemaReport {
  is_available: boolean;
  message: string;
  hint: string;
  tables: SqlTableReport[];
  views: SqlViewReport[];
  functions: SqlFunctionReport[];
}

export interface SqlSessionReport {
  name: string;
  key: string;
}

export interface SqlResultColumn {
  key: string;
  unit: string;
  is_fractional: boolean;
}

export interface SqlReport {
  sessions: SqlSessionReport[];
  columns: SqlResultColumn[];
  rows: (string | number | boolean | null)[][];
  row_count: number;
  remarks: string[];
}
