import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { type ChartKind, chartKinds } from './charts/chart-kinds.js';
import { type PlanStep } from './estimate-cost.js';
import { compareModes, grains } from './plan/metric-request.js';
import { SelectMetricRows } from './select-rows.dto.js';

export const defaultLimit = 1_000;
export const maxLimit = 10_000;
const resultFormats = ['json', 'csv', 'ndjson', 'svg'] as const;

export class ExecuteOrder {
  @ApiProperty({ example: 'value', description: '结果的列名：period、维度或值 / a column of the result: period, a dimension or a value' })
  @IsString()
  by: string;

  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'asc' })
  @IsOptional()
  @IsIn(['asc', 'desc'])
  dir?: 'asc' | 'desc';

  @ApiPropertyOptional({ enum: ['first', 'last'], default: 'last' })
  @IsOptional()
  @IsIn(['first', 'last'])
  nulls?: 'first' | 'last';
}

export class ExecuteCache {
  @ApiProperty({
    minimum: 0,
    maximum: 86_400,
    example: 300,
    description:
      '保存的结果最多多旧（秒）；0 表示重新读取。省略时，镜像的结果在其表不变期间有效，其他数据源总是重新读取 / how old a kept result may be; 0 reads anew. By default results of the mirror are good as long as its tables stay the same, and other sources are always read anew',
  })
  @IsInt()
  @Min(0)
  @Max(86_400)
  max_age_s: number;
}

export class ExecuteMetricRequest extends SelectMetricRows {
  @ApiPropertyOptional({ type: [ExecuteOrder], example: [{ by: 'value', dir: 'desc' }] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @Nested(ExecuteOrder, { each: true })
  order?: ExecuteOrder[];

  @ApiPropertyOptional({ default: defaultLimit, minimum: 1, maximum: maxLimit, example: 100 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxLimit)
  limit?: number;

  @ApiPropertyOptional({ default: 0, minimum: 0, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  offset?: number;

  @ApiPropertyOptional({ default: false, example: true, description: '重新计算的总计 / totals, recomputed from the rows' })
  @IsOptional()
  @IsBoolean()
  totals?: boolean;

  @ApiPropertyOptional({ default: false, example: false, description: '只编译，不执行 / compile only' })
  @IsOptional()
  @IsBoolean()
  dry_run?: boolean;

  @ApiPropertyOptional({
    default: false,
    example: false,
    description: '不执行，只问数据库的估计（estimate） / do not execute, but ask the database for its estimate',
  })
  @IsOptional()
  @IsBoolean()
  explain?: boolean;

  @ApiPropertyOptional({
    enum: chartKinds,
    description:
      '仅当结果为 image/svg+xml：画什么图；省略时，有时间用折线，占比指标用占比图，否则用柱状 / only for image/svg+xml: what to draw; by default a line over time, the shares of a metric of shares, or else bars',
  })
  @IsOptional()
  @IsIn(chartKinds)
  chart?: ChartKind;

  @ApiPropertyOptional({ type: ExecuteCache, nullable: true, example: { max_age_s: 300 } })
  @IsOptional()
  @Nested(ExecuteCache)
  cache?: ExecuteCache | null;
}

export class ResultColumnResponse {
  @ApiProperty({ example: '地区' })
  name: string;

  @ApiProperty({ enum: ['time', 'dimension', 'value'] })
  role: 'time' | 'dimension' | 'value';

  @ApiProperty({ example: 'string', description: 'date、string、int、bigint、decimal（后两者为字符串） / the last two go out as strings' })
  type: string;

  @ApiPropertyOptional({ enum: grains })
  grain?: string;

  @ApiPropertyOptional({ example: 'Asia/Shanghai' })
  timezone?: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'CNY' })
  unit?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '0.00', description: '值已按此舍入 / what the values are rounded to' })
  format?: string | null;

  @ApiPropertyOptional({ example: 1, description: '值所属的指标 / the metric of a value' })
  metric_id?: number;

  @ApiPropertyOptional({ enum: compareModes, description: '与 compare 的时段相比的列 / a column that tells of the time compared with' })
  compare?: (typeof compareModes)[number];
}

class ResultCacheResponse {
  @ApiProperty({ example: false, description: '是否为保存的结果 / whether the result was kept' })
  hit: boolean;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 12.5,
    description: '保存的结果读取于多久以前 / how long ago a kept result was read',
  })
  age_s: number | null;
}

/** The time options of a request with their defaults filled in. */
class AnsweredTimeResponse {
  @ApiProperty({ type: String, nullable: true, example: '2024-01-01' })
  from: string | null;

  @ApiProperty({ type: String, nullable: true, example: '2025-01-01' })
  to: string | null;

  @ApiProperty({ type: String, enum: grains, nullable: true })
  grain: (typeof grains)[number] | null;

  @ApiProperty({ example: 'Asia/Shanghai' })
  timezone: string;
}

export class ChartResponse {
  @ApiProperty({ enum: ['number', 'line', 'bar', 'share'], example: 'line' })
  kind: 'number' | 'line' | 'bar' | 'share';

  @ApiProperty({ type: String, nullable: true, example: 'period' })
  x: string | null;

  @ApiProperty({ type: [String], description: '每种取值一条的维度 / the dimensions that make series', example: ['地区'] })
  series: string[];

  @ApiProperty({ type: [String], example: ['value'] })
  y: string[];
}

export class CostEstimateResponse {
  @ApiProperty({
    type: Number,
    example: 12,
    nullable: true,
    description:
      '结果的行数；PostgreSQL 以外为预计读取的行数，不详时为 null / rows of the result; outside of PostgreSQL the rows that are read, null if it does not tell',
  })
  rows: number | null;

  @ApiProperty({
    type: Number,
    example: 1520.5,
    nullable: true,
    description:
      '所有语句，以数据库自己的单位；PostgreSQL 以外为 null / of all statements, in the unit of the database; null outside of PostgreSQL',
  })
  cost: number | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ step: 'Aggregate', rows: 12, cost: 1520.5, inputs: [{ step: 'Seq Scan', table: 'orders', rows: 50_000, cost: 1020.5 }] }],
    nullable: true,
    description:
      '每条语句一个计划（totals 另有一条），PostgreSQL 以外每次扫描一个；与 sql 同，仅给 editor 及以上 / a plan for each statement (totals are one of their own), outside of PostgreSQL for each scan; as sql, only for editors and above',
  })
  plans: PlanStep[] | null;
}

export class MetricSourceResponse {
  @ApiProperty({ example: 'pg_mirror' })
  connection: string;

  @ApiProperty({ example: 1 })
  connection_id: number;

  @ApiProperty({ example: 'order_lines', description: '绑定读取 SQL 时为 query / `query` where the binding reads SQL' })
  table: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['orders', 'order_lines'],
    description: '仅当绑定读取 SQL 时：其读取的表，最多 100 个 / Only where the binding reads SQL: the tables it reads, at most 100',
  })
  query_tables?: string[];
}

/** A warning about a result, for the sender of the request. It does not stop the request. */
export class MetricWarning {
  @ApiProperty({ example: 'NOT_A_NUMBER' })
  code: string;

  @ApiProperty({ example: '结果含 NaN，已改为 null / NaN in the result became null' })
  message: string;
}

class AskedMetricResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: '销售额' })
  name: string;
}

export class ResultFormatQuery {
  @ApiPropertyOptional({ enum: resultFormats, description: '默认由 Accept 决定 / decides before Accept' })
  @IsOptional()
  @IsIn(resultFormats)
  format?: (typeof resultFormats)[number];
}

/** The result of a request for one or more metrics. */
export class MetricResultResponse {
  @ApiProperty({ type: [ResultColumnResponse] })
  columns: ResultColumnResponse[];

  @ApiProperty({ type: 'array', items: { type: 'array', items: {} }, example: [['2024-01-01', '华东', '12345.67']] })
  rows: unknown[][];

  @ApiProperty({ example: 1 })
  row_count: number;

  @ApiProperty({ example: false })
  truncated: boolean;

  @ApiProperty({ type: Object, nullable: true, example: { value: '98765.43' } })
  totals: Record<string, unknown> | null;

  @ApiProperty({ type: AnsweredTimeResponse, nullable: true, description: '所理解的时间 / the time as it was understood' })
  time: AnsweredTimeResponse | null;

  @ApiProperty({ type: ChartResponse, description: '建议的图 / a suggestion of a chart' })
  chart: ChartResponse;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'SELECT …',
    description: '仅给可修改指标者（editor 及以上），否则为 null / only for those who may change metrics (editor or above), else null',
  })
  sql: string | null;

  @ApiProperty({ type: 'array', items: {}, nullable: true, example: ['2024-01-01'], description: '与 sql 同 / as for sql' })
  params: unknown[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    example: { parse: 0.4, compile: 1.1, execute: 23.8, total: 26 },
  })
  timing_ms: { parse: number; compile: number; execute: number; total: number };

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  as_of: string | null;

  @ApiProperty({ type: ResultCacheResponse, nullable: true, description: '未执行时为 null / null if nothing was executed' })
  cache: ResultCacheResponse | null;

  @ApiProperty({ type: CostEstimateResponse, nullable: true, description: '仅当 explain 为 true / only with explain' })
  estimate: CostEstimateResponse | null;

  @ApiProperty({ type: [MetricSourceResponse], description: '结果所依据的表 / The tables the result rests on' })
  sources: MetricSourceResponse[];

  @ApiProperty({ type: [MetricWarning], example: [] })
  warnings: MetricWarning[];
}

export class ExecuteMetricResponse extends MetricResultResponse {
  @ApiProperty({ type: AskedMetricResponse })
  metric: AskedMetricResponse;

  @ApiProperty({ example: 'aggregate' })
  pattern: string;
}

class QueriedMetricResponse extends AskedMetricResponse {
  @ApiProperty({ example: 'aggregate' })
  pattern: string;
}

export class QueryMetricsRequest extends ExecuteMetricRequest {
  @ApiProperty({ example: 1, description: '指标所在的图 / the graph of the metrics' })
  @IsInt()
  @Min(1)
  @Max(maxId)
  graph_id: number;

  @ApiProperty({ type: [Number], example: [1, 2], description: '各指标成为一列，以其名称为列名 / each becomes a column of its name' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(maxId, { each: true })
  metrics: number[];
}

export class QueryMetricsResponse extends MetricResultResponse {
  @ApiProperty({ type: [QueriedMetricResponse] })
  metrics: QueriedMetricResponse[];
}
