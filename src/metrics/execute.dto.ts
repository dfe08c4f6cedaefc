import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { sentence } from '../http/validation/sentence.js';
import { IsDecimal, IsScalar, NotBuilt } from './execute-values.decorator.js';
import { type PlanStep } from './estimate-cost.js';
import { relativeRange, relativeRangeForm } from './plan/relative-range.js';
import { compareModes, filterOperators, grains, havingOperators } from './plan/metric-request.js';

export const defaultLimit = 1_000;
export const maxLimit = 10_000;

const scalar = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

export class ExecuteTime {
  @ApiPropertyOptional({ example: '2024-01-01', description: '含；时区内的当地日期 / inclusive, local to the zone' })
  @IsOptional()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ example: '2025-01-01', description: '不含 / exclusive' })
  @IsOptional()
  @IsString()
  to?: string;

  @ApiPropertyOptional({
    example: 'last_30_days',
    description:
      '代替 from 与 to：today、yesterday、this_month、last_month（上一个自然月）、last_30_days（到今天为止）、year_to_date 等；按 timezone 计算，答案写明起止 / in place of from and to: the month before this one, the 30 days that end with today, and so on; resolved in the zone, and the answer says what it came to',
  })
  @IsOptional()
  @Matches(relativeRange, sentence(relativeRangeForm))
  range?: string;

  @ApiPropertyOptional({ enum: grains, example: 'month' })
  @IsOptional()
  @IsIn(grains)
  grain?: (typeof grains)[number];

  @ApiPropertyOptional({
    example: 'Asia/Shanghai',
    description:
      '整条语句的时区，UTC 或 IANA 名称；默认为绑定的时区 / the zone of the whole statement, UTC or an IANA name; the binding names the default',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  @ApiPropertyOptional({
    enum: ['monday', 'sunday'],
    description: '一周之始，仅用于 grain 为 week；默认为绑定的设置 / for the grain week; the binding names the default',
  })
  @IsOptional()
  @IsIn(['monday', 'sunday'])
  week_start?: 'monday' | 'sunday';

  @ApiPropertyOptional({
    enum: ['none', 'null', 'zero'],
    default: 'none',
    description: '没有数据的时段；zero 也用于没有 grain 的结果 / what periods without rows show; zero applies without a grain too',
  })
  @IsOptional()
  @IsIn(['none', 'null', 'zero'])
  fill?: 'none' | 'null' | 'zero';
}

export class ExecuteFilter {
  @ApiPropertyOptional({ example: '地区' })
  @IsOptional()
  @IsString()
  field?: string;

  @ApiPropertyOptional({
    example: 3,
    description:
      '代替 field：同一图中的指标；只留下它符合条件的 by / in place of field: a metric of the graph; rows stay whose `by` it fits for',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxId)
  metric?: number;

  @ApiPropertyOptional({ example: '产品', description: '与 metric 同用：维度或实体 / with metric: a dimension or an entity' })
  @IsOptional()
  @IsString()
  by?: string;

  @ApiPropertyOptional({
    enum: ['all', 'request'],
    default: 'all',
    description: '与 metric 同用：按全部时间还是请求的时段计算 / with metric: over all time, or the time of the request',
  })
  @IsOptional()
  @IsIn(['all', 'request'])
  range?: 'all' | 'request';

  @ApiProperty({ enum: filterOperators, example: 'in' })
  @IsIn(filterOperators)
  op: (typeof filterOperators)[number];

  @ApiPropertyOptional({ oneOf: scalar, description: '单个值 / one value' })
  @IsOptional()
  @IsScalar()
  value?: string | number | boolean;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: scalar },
    example: ['华东', '华南'],
    description: 'in、not_in、between 的值 / for in, not_in and between',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsScalar({ each: true })
  values?: (string | number | boolean)[];
}

export class ExecuteHaving {
  @ApiPropertyOptional({
    example: 'value',
    description: '值的列名；只有一个时可省略 / the name of a value; may be left out if there is one',
  })
  @IsOptional()
  @IsString()
  by?: string;

  @ApiProperty({ enum: havingOperators, example: '>' })
  @IsIn(havingOperators)
  op: (typeof havingOperators)[number];

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }], example: '100' })
  @IsDecimal()
  value: string | number;
}

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

export class ExecuteCompare {
  @ApiProperty({ example: '1 year', description: '多久以前：数目加 day、week、month、quarter 或 year / how long ago' })
  @Matches(
    /^[1-9]\d{0,3} (day|week|month|quarter|year)s?$/,
    sentence({ zh: '应如 1 year、3 months', en: 'must be like 1 year or 3 months' }),
  )
  offset: string;

  @ApiPropertyOptional({
    enum: compareModes,
    isArray: true,
    default: compareModes,
    description: '那时的值、差、变化率（列 previous、diff、rate） / the value then, the difference and the rate',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMinSize(1)
  @IsIn(compareModes, { each: true })
  modes?: (typeof compareModes)[number][];

  @ApiPropertyOptional({
    enum: ['same_span', 'full_period'],
    default: 'same_span',
    description:
      '被 to 截断的时段，与那时的同样天数还是整个时段相比 / whether a period that the range cuts is compared with as many days or with the whole one',
  })
  @IsOptional()
  @IsIn(['same_span', 'full_period'])
  align?: 'same_span' | 'full_period';
}

export class ExecuteMetricRequest {
  @ApiPropertyOptional({ type: [String], example: ['地区'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  dimensions?: string[];

  @ApiPropertyOptional({ type: ExecuteTime, example: { grain: 'month' } })
  @IsOptional()
  @Nested(ExecuteTime)
  time?: ExecuteTime | null;

  @ApiPropertyOptional({ type: [ExecuteFilter], example: [{ field: 'quantity', op: '>=', value: 1 }] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @Nested(ExecuteFilter, { each: true })
  filters?: ExecuteFilter[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '"地区" IS NOT NULL AND quantity > 0',
    description: 'SQL 谓词，只能用绑定的列与允许的函数 / an SQL predicate over the binding’s columns; prefer `filters`',
  })
  @IsOptional()
  @IsString()
  filter_clause?: string | null;

  @ApiPropertyOptional({ type: [ExecuteHaving], example: [{ op: '>', value: '100' }] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10)
  @Nested(ExecuteHaving, { each: true })
  having?: ExecuteHaving[];

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

  @ApiPropertyOptional({ type: ExecuteCompare, nullable: true, example: { offset: '1 year' } })
  @IsOptional()
  @Nested(ExecuteCompare)
  compare?: ExecuteCompare | null;

  @ApiPropertyOptional({ description: '尚不可用，给出时为 422 / not built yet: a 422 when given' })
  @IsOptional()
  @NotBuilt('cache')
  cache?: unknown;
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

/** The time of the request as it was understood. */
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
  @ApiProperty({ example: 12, description: '结果的行数 / rows of the result' })
  rows: number;

  @ApiProperty({ example: 1520.5, description: '所有语句，以数据库自己的单位 / of all statements, in the unit of the database' })
  cost: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ step: 'Aggregate', rows: 12, cost: 1520.5, inputs: [{ step: 'Seq Scan', table: 'orders', rows: 50_000, cost: 1020.5 }] }],
    description: '每条语句一个计划（totals 另有一条） / a plan for each statement; totals are one of their own',
  })
  plans: PlanStep[];
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

/** A warning for the sender that does not stop the request. */
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
  @ApiPropertyOptional({ enum: ['json', 'csv', 'ndjson'], description: '默认由 Accept 决定 / decides before Accept' })
  @IsOptional()
  @IsIn(['json', 'csv', 'ndjson'])
  format?: 'json' | 'csv' | 'ndjson';
}

/** The result of one statement. */
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

  @ApiProperty({ example: 'SELECT …' })
  sql: string;

  @ApiProperty({ type: 'array', items: {}, example: ['2024-01-01'] })
  params: unknown[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    example: { parse: 0.4, compile: 1.1, execute: 23.8, total: 26 },
  })
  timing_ms: { parse: number; compile: number; execute: number; total: number };

  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  as_of: string | null;

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
