import { ApiProperty, PickType } from '@nestjs/swagger';
import { type CopyRunRow } from './copy-runs.repository.js';
import { CopiedTableResponse, MirrorCopyResponse, toCopiedTable, toRunTimes } from './mirror-copies.dto.js';
import { type CopyTable } from './mirror-copies.repository.js';

const tableFields = [
  'table',
  'as',
  'status',
  'reads',
  'rows',
  'bytes',
  'seconds',
  'rows_per_second',
  'inserted',
  'updated',
  'left_out',
  'left_out_count',
  'warnings',
  'problem',
] as const;

class CopyRunTableResponse extends PickType(CopiedTableResponse, tableFields) {}

const runFields = [
  'run',
  'started_by',
  'status',
  'attempt',
  'guarantee',
  'rows',
  'bytes',
  'seconds',
  'error',
  'queued_at',
  'started_at',
  'finished_at',
] as const;

export class CopyRunResponse extends PickType(MirrorCopyResponse, runFields) {
  @ApiProperty({ type: () => [CopyRunTableResponse] })
  tables: CopyRunTableResponse[];
}

/** @param tables the tables of the copy, which are the same in all its runs */
export function toCopyRunResponse(tables: readonly CopyTable[], row: CopyRunRow): CopyRunResponse {
  const { run, started_by, status, attempt, report, error } = row;
  return {
    run,
    started_by,
    status,
    attempt,
    guarantee: report.guarantee ?? null,
    rows: report.rows ?? 0,
    bytes: report.bytes ?? 0,
    seconds: report.seconds ?? 0,
    error,
    ...toRunTimes(row),
    tables: tables.map((table, index) => runOfTable(toCopiedTable(table, report.tables?.[index]))),
  };
}

/** The fields of a table that belong to one run. The state after the last successful run is left out. */
function runOfTable(table: CopiedTableResponse): CopyRunTableResponse {
  return Object.fromEntries(tableFields.map(field => [field, table[field]])) as unknown as CopyRunTableResponse;
}
