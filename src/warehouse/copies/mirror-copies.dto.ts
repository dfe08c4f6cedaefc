import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { ArrayUnique } from '../../http/validation/array-unique.decorator.js';
import { Length } from '../../http/validation/length.decorator.js';
import { Nested } from '../../http/validation/nested.decorator.js';
import { startedBy } from '../../schedules/schedules.worker.js';
import { type CopyProblem, type TableReport } from './copy-report.js';
import { lagPattern } from './cursor-range.js';
import { type CopyRunRow, type CopyStatus } from './copy-runs.repository.js';
import { type CopyRow, type CopyTable } from './mirror-copies.repository.js';

const modes = ['full', 'cursor'] as const;
const statuses: CopyStatus[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];
const tableStatuses: TableReport['status'][] = ['waiting', 'copying', 'copied', 'succeeded', 'failed', 'unchanged'];
/** The most key columns of a copied table: an index of PostgreSQL takes at most 32. */
const mostKeyColumns = 32;
const mostTables = 50;

export class CopyTableRequest {
  @ApiProperty({ example: 'public.orders', minLength: 1, maxLength: 200, description: '来源的表名 / The name of the table at the source' })
  @IsString()
  @Length(1, 200)
  table: string;

  @ApiPropertyOptional({
    example: 'orders',
    description: '镜像中的表名，默认为不含模式的表名 / Its name in the mirror; the bare name by default',
  })
  @IsOptional()
  @IsString()
  as?: string;

  @ApiPropertyOptional({
    enum: modes,
    default: 'full',
    example: 'full',
    description:
      'full 每次复制整张表；cursor 首次复制整张表，之后只读游标列不小于上次之值的行 / full copies the whole table each time; cursor does so once, and then reads only rows whose cursor is at least the last one',
  })
  @IsOptional()
  @IsIn(modes)
  mode?: (typeof modes)[number];

  @ApiPropertyOptional({ type: String, description: 'mode=cursor 的游标列，如 updated_at / The column that rises, for mode=cursor' })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  cursor?: string;

  @ApiPropertyOptional({
    type: String,
    description: '从上次游标之前多远读起：时间如 5m，数字如 100 / How far before the last cursor to begin: a time such as 5m, or a number',
  })
  @IsOptional()
  @IsString()
  @Matches(lagPattern, { message: 'lag must be a number, or a time such as 30s, 5m, 2h or 1d' })
  lag?: string;

  @ApiPropertyOptional({
    type: [String],
    description: '区分各行的列，默认为来源的主键 / The columns that tell rows apart; the primary key by default',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostKeyColumns)
  @ArrayUnique()
  @Length(1, 200, { each: true })
  key?: string[];

  @ApiPropertyOptional({
    default: false,
    example: false,
    description: '可以替换并非复制而来的同名表 / May replace a table of this name that no copy made',
  })
  @IsOptional()
  @IsBoolean()
  replace?: boolean;
}

export class CopyTablesRequest {
  @ApiProperty({ type: () => [CopyTableRequest], minItems: 1, maxItems: mostTables })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostTables)
  @Nested(CopyTableRequest, { each: true })
  tables: CopyTableRequest[];
}

export class CopyProblemResponse {
  @ApiProperty({ example: 'source_lost' })
  code: string;

  @ApiProperty({ example: '… / connection lost' })
  detail: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  context?: Record<string, unknown>;
}

export class LeftOutColumnResponse {
  @ApiProperty({ example: 'location' })
  column: string;

  @ApiProperty({ example: 'geometry' })
  native_type: string;

  @ApiProperty({ example: '其类型没有对应的 PostgreSQL 类型 / its type has no counterpart in PostgreSQL' })
  reason: string;
}

export class CopiedTableResponse {
  @ApiProperty({ example: 'public.orders' })
  table: string;

  @ApiProperty({ example: 'orders' })
  as: string;

  @ApiProperty({ enum: modes })
  mode: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  cursor: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  lag: string | null;

  @ApiProperty({ type: [String], example: [], description: '请求中的 key / As the request gave it' })
  key: string[];

  @ApiProperty({ example: false })
  replace: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '上次成功复制的最大游标 / The greatest cursor of the last success',
  })
  cursor_value: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 42,
    description: '上次成功复制后的数据版本 / The data version that the last success left',
  })
  data_version: number | null;

  @ApiProperty({
    enum: tableStatuses,
    description:
      'copied 尚不可见：所有表同时更换；失败时全部 unchanged / copied is not visible yet, for all tables change at one moment; a failure leaves all unchanged',
  })
  status: string;

  @ApiProperty({ enum: ['all', 'since'], nullable: true, type: String, example: 'all' })
  reads: string | null;

  @ApiProperty({ example: 1000, description: 'Rows that were read' })
  rows: number;

  @ApiProperty({ example: 65536, description: 'Bytes that were read' })
  bytes: number;

  @ApiProperty({ example: 0.4 })
  seconds: number;

  @ApiProperty({ example: 2500 })
  rows_per_second: number;

  @ApiProperty({ example: 1000, description: 'Rows that are new in the table' })
  inserted: number;

  @ApiProperty({ example: 0, description: 'Rows of the table that were changed' })
  updated: number;

  @ApiProperty({ type: () => [LeftOutColumnResponse] })
  left_out: LeftOutColumnResponse[];

  @ApiProperty({
    example: 0,
    description: '未复制的列的总数，left_out 只列出前面一些 / how many there are, of which left_out has the first',
  })
  left_out_count: number;

  @ApiProperty({ type: () => [CopyProblemResponse] })
  warnings: CopyProblemResponse[];

  @ApiProperty({ type: () => CopyProblemResponse, nullable: true })
  problem: CopyProblemResponse | null;
}

export class MirrorCopyResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 2 })
  connection_id: number;

  @ApiProperty({ example: 'sales' })
  connection: string;

  @ApiProperty({ type: String, nullable: true, example: 'admin', description: '以其名义读取 / The user in whose name it reads' })
  saved_by: string | null;

  @ApiProperty({ example: 1, description: '第几次运行；之前的见 …/runs / which run this is; …/runs lists the earlier ones' })
  run: number;

  @ApiProperty({ enum: startedBy, description: '由用户还是计划启动 / whether a user or the schedule started it' })
  started_by: string;

  @ApiProperty({ enum: statuses })
  status: string;

  @ApiProperty({ example: 1, description: '第几次尝试 / which attempt this is' })
  attempt: number;

  @ApiProperty({ example: false })
  cancel_requested: boolean;

  @ApiProperty({
    enum: ['snapshot', 'statement'],
    nullable: true,
    type: String,
    description:
      'snapshot：所有表为同一时刻；statement：各表各为一个时刻 / snapshot: all tables are of one moment; statement: each is of a moment of its own',
  })
  guarantee: string | null;

  @ApiProperty({ example: 1000 })
  rows: number;

  @ApiProperty({ example: 65536 })
  bytes: number;

  @ApiProperty({ example: 0.4 })
  seconds: number;

  @ApiProperty({ type: () => [CopiedTableResponse] })
  tables: CopiedTableResponse[];

  @ApiProperty({ type: () => CopyProblemResponse, nullable: true })
  error: CopyProblem | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  queued_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at: string | null;
}

export function toMirrorCopyResponse({ saved_by: savedBy, report, tables, ...row }: CopyRow): MirrorCopyResponse {
  return {
    ...row,
    saved_by: savedBy?.username ?? null,
    guarantee: report.guarantee ?? null,
    rows: report.rows ?? 0,
    bytes: report.bytes ?? 0,
    seconds: report.seconds ?? 0,
    tables: tables.map((table, index) => toCopiedTable(table, report.tables?.[index])),
    created_at: row.created_at.toISOString(),
    ...toRunTimes(row),
  };
}

/**
 * The times of a copy's current run. The row of a copy that is queued again still contains the start and end of the previous run; they are
 * left out here.
 */
export function toRunTimes({ status, queued_at, started_at, finished_at }: Omit<CopyRunRow, 'report'>) {
  return {
    queued_at: queued_at.toISOString(),
    started_at: status === 'queued' ? null : (started_at?.toISOString() ?? null),
    finished_at: status === 'queued' || status === 'running' ? null : (finished_at?.toISOString() ?? null),
  };
}

export function toCopiedTable(table: CopyTable, report: TableReport | undefined): CopiedTableResponse {
  const { rows = 0, seconds = 0 } = report ?? {};
  return {
    table: table.source,
    as: table.name,
    mode: table.mode,
    cursor: table.cursor,
    lag: table.lag,
    key: table.key,
    replace: table.replaces,
    cursor_value: table.state?.cursor ?? null,
    data_version: table.state?.version ?? null,
    status: report?.status ?? 'waiting',
    reads: report?.reads ?? null,
    rows,
    bytes: report?.bytes ?? 0,
    seconds,
    rows_per_second: Math.round(rows / Math.max(seconds, 0.001)),
    inserted: report?.inserted ?? 0,
    updated: report?.updated ?? 0,
    left_out: report?.left_out ?? [],
    // Reports of earlier releases have no count, but list all columns that were left out.
    left_out_count: report?.left_out_count ?? report?.left_out?.length ?? 0,
    warnings: report?.warnings ?? [],
    problem: report?.problem ?? null,
  };
}
