import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Length, MaxLength } from '../http/validation/length.decorator.js';
import { IsName } from '../http/validation/is-name.decorator.js';
import { PageQuery } from '../http/paging/page.js';
import { QueryInt } from '../http/validation/query-int.decorator.js';
import { exampleMapping } from './mapping-example.js';
import { type JobRow } from './jobs.repository.js';
import { type RejectedRow } from './rejected-rows.repository.js';
import { type RunRow } from './runs.repository.js';
import { startedBy } from '../schedules/schedules.worker.js';
import { joined } from '../text/bilingual.js';
import { type MappingWarning, pathText } from './mapping/mapping.js';
import { ProgressResponse, toProgressResponse } from './progress.dto.js';
import { type RunReport } from './run/run-report.js';
import { exampleCounts, exampleTarget, RunCountsResponse, TargetCountsResponse } from './run-counts.dto.js';

/**
 * The most characters of a mapping in a request. This is twice the parser's limit in bytes, so that a client with a too large mapping gets
 * the parser's message.
 */
const maxMappingLength = 512 * 1024;

const runStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];

export const nameDescription = '缺省为映射的 name / the mapping’s name by default';

export class ValidateMappingRequest {
  @ApiProperty({ example: exampleMapping, description: 'YAML，最多 256 KiB / YAML, at most 256 KiB' })
  @IsString()
  @MaxLength(maxMappingLength)
  mapping_yaml: string;
}

export class CreateJobRequest extends ValidateMappingRequest {
  @ApiProperty({ example: 1 })
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  graph_id: number;

  @ApiPropertyOptional({ example: '销售图谱', maxLength: 200, description: nameDescription })
  @IsOptional()
  @IsName(200)
  name?: string;
}

export class ListJobsQuery extends PageQuery {
  @ApiPropertyOptional({ example: 1 })
  @QueryInt()
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  graph_id?: number;
}

export class RunJobQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description:
      '允许本次运行删除某个标签或关系类型中超过一半的元素；其他任务仍给出的元素不算 / lets this run remove more than half of a label or of an edge type; elements that another job yields still do not count',
  })
  @IsOptional()
  @Matches(/^(true|false)$/, { message: 'allow_deletes must be true or false' })
  allow_deletes?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description:
      '即使来源的表、映射与图都没有变化，也重新读取并写入 / reads and writes everything, even if the source, the mapping and the graph are unchanged',
  })
  @IsOptional()
  @Matches(/^(true|false)$/, { message: 'full must be true or false' })
  full?: string;
}

export class ListRejectedQuery extends PageQuery {
  @ApiPropertyOptional({ example: '客户', description: '节点标签或关系类型 / a node label or an edge type' })
  @IsOptional()
  @IsString()
  @Length(1, 300)
  target?: string;

  @ApiPropertyOptional({
    enum: ['json', 'ndjson', 'csv'],
    description: '缺省按 Accept / by Accept unless given; ndjson and csv hold all rows',
  })
  @IsOptional()
  @Matches(/^(json|ndjson|csv)$/, { message: 'format must be json, ndjson or csv' })
  format?: string;
}

export class MappingWarningResponse {
  @ApiProperty({ example: 'unquoted_number' })
  code: string;

  @ApiProperty({ example: '0110 没有引号… / 0110 is not quoted…' })
  message: string;

  @ApiProperty({ example: 'nodes[0].columns[0].rules[0].one_of[0]' })
  path: string;

  @ApiProperty({ example: 12 })
  line: number;

  @ApiProperty({ example: 40 })
  column: number;
}

export class MappingTargetResponse {
  @ApiProperty({ enum: ['node', 'edge'] })
  kind: string;

  @ApiProperty({ example: '客户' })
  target: string;

  @ApiProperty({ example: 'customers', description: '表名或 query / a table or "query"' })
  source: string;
}

export class ValidateMappingResponse {
  @ApiProperty({ example: true })
  valid: boolean;

  @ApiProperty({ type: [MappingTargetResponse] })
  targets: MappingTargetResponse[];

  @ApiProperty({ type: [MappingWarningResponse] })
  warnings: MappingWarningResponse[];
}

class LastRunResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ enum: runStatuses })
  status: string;
}

export class JobResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 1 })
  graph_id: number;

  @ApiProperty({ example: '销售图谱' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'pg_mirror', description: '停用后为空 / null once the job is retired' })
  connection: string | null;

  @ApiProperty({ example: 1, description: '映射的版本，从 1 起 / the revision of its mapping, from 1' })
  revision: number;

  @ApiProperty({ example: exampleMapping })
  mapping_yaml: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: {},
    description: '增量读取的位置 / where incremental reads go on',
  })
  cursors: Record<string, string>;

  @ApiProperty({ type: LastRunResponse, nullable: true })
  last_run: LastRunResponse | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: '停用的时间 / when it was retired' })
  retired_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class CreatedJobResponse extends JobResponse {
  @ApiProperty({ type: [MappingWarningResponse] })
  warnings: MappingWarningResponse[];
}

class RunErrorResponse {
  @ApiProperty({ example: 'statement_timeout' })
  code: string;

  @ApiProperty({ example: '某一步超过了时限 / a step took too long' })
  detail: string;

  @ApiPropertyOptional({ type: Object, description: '给程序读的事实 / facts for machines' })
  context?: Record<string, unknown>;
}

@ApiExtraModels(RunCountsResponse, TargetCountsResponse)
export class RunResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 1 })
  job_id: number;

  @ApiProperty({ example: 1 })
  graph_id: number;

  @ApiProperty({ example: 1, description: '所运行的映射版本 / the revision of the mapping that it runs' })
  revision: number;

  @ApiProperty({ example: false, description: '可以删除超过一半的元素 / may remove more than half of a label' })
  allow_deletes: boolean;

  @ApiProperty({ example: false, description: '停用任务的运行 / the run that retires the job' })
  retires: boolean;

  @ApiProperty({ enum: startedBy, description: '由用户还是计划启动 / whether a user or the schedule started it' })
  started_by: string;

  @ApiProperty({ example: false, description: '即使没有变化也重新读取 / reads everything, even if nothing changed' })
  full: boolean;

  @ApiProperty({ enum: runStatuses })
  status: string;

  @ApiProperty({ type: String, nullable: true, example: 'staging 客户' })
  phase: string | null;

  @ApiProperty({ example: 1, description: '第几次尝试 / which attempt this is' })
  attempt: number;

  @ApiProperty({ example: false })
  cancel_requested: boolean;

  @ApiProperty({
    type: 'object',
    properties: {
      targets: { type: 'array', items: { $ref: getSchemaPath(TargetCountsResponse) } },
      totals: { $ref: getSchemaPath(RunCountsResponse) } as object,
    },
    additionalProperties: true,
    example: { targets: [exampleTarget], totals: exampleCounts },
  })
  report: Partial<RunReport>;

  @ApiProperty({ type: ProgressResponse, nullable: true, description: '仅在运行中 / only while it runs' })
  progress: ProgressResponse | null;

  @ApiProperty({ type: RunErrorResponse, nullable: true })
  error: RunErrorResponse | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at: string | null;
}

class ReasonResponse {
  @ApiProperty({ example: 'min' })
  rule: string;

  @ApiProperty({ type: String, nullable: true, example: 'quantity' })
  column: string | null;

  @ApiProperty({ type: String, nullable: true, example: '数量' })
  property: string | null;

  @ApiProperty({ example: '列「quantity」：0 小于最小值 1' })
  zh: string;

  @ApiProperty({ example: "column 'quantity': 0 is below min 1" })
  en: string;
}

export class RejectedRowResponse {
  @ApiProperty({ example: '包含' })
  target: string;

  @ApiProperty({ example: 17, description: '该行在来源表中的位置，从 1 起 / the row’s place in its table, from 1' })
  row_no: number;

  @ApiProperty({ type: String, nullable: true, example: '["10248", "11"]' })
  source_key: string | null;

  @ApiProperty({ type: [ReasonResponse] })
  reasons: ReasonResponse[];

  @ApiProperty({ type: Object, example: { quantity: '0' } })
  sample: Record<string, unknown>;
}

export function toJobResponse(row: JobRow): JobResponse {
  const { id, graph_id, name, connection, revision, mapping_yaml, cursors } = row;
  return {
    id,
    graph_id,
    name,
    connection,
    revision,
    mapping_yaml,
    cursors,
    last_run: row.last_run_id === null || row.last_run_status === null ? null : { id: row.last_run_id, status: row.last_run_status },
    retired_at: row.retired_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

export function toRunResponse(row: RunRow): RunResponse {
  const { progress, ...report } = row.report;
  return {
    ...row,
    report,
    progress: row.status === 'running' && progress ? toProgressResponse(progress) : null,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

export function toRejectedRowResponse(row: RejectedRow): RejectedRowResponse {
  return { target: row.target, row_no: Number(row.row_no), source_key: row.source_key, reasons: row.reasons, sample: row.sample };
}

export function toWarningResponse({ code, text, path, line, column }: MappingWarning): MappingWarningResponse {
  return { code, message: joined(text), path: pathText(path), line, column };
}
