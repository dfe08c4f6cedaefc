import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { IsDecimal, IsScalar, NotBuilt } from './execute-values.decorator.js';
import { filterOperators, grains, havingOperators, type MetricRequest } from './plan/metric-request.js';

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
  @ApiProperty({ example: '地区' })
  @IsString()
  field: string;

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
  @ApiProperty({ enum: havingOperators, example: '>' })
  @IsIn(havingOperators)
  op: (typeof havingOperators)[number];

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }], example: '100' })
  @IsDecimal()
  value: string | number;
}

export class ExecuteOrder {
  @ApiProperty({ example: 'value', description: 'value、period 或维度名 / value, period or a dimension asked for' })
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

  @ApiPropertyOptional({ description: '尚不可用，给出时为 422 / not built yet: a 422 when given' })
  @IsOptional()
  @NotBuilt('compare')
  compare?: unknown;

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

export class ExecuteMetricResponse {
  @ApiProperty({ type: AskedMetricResponse })
  metric: AskedMetricResponse;

  @ApiProperty({ example: 'aggregate' })
  pattern: string;

  @ApiProperty({ type: [ResultColumnResponse] })
  columns: ResultColumnResponse[];

  @ApiProperty({ type: 'array', items: { type: 'array', items: {} }, example: [['2024-01-01', '华东', '12345.67']] })
  rows: unknown[][];

  @ApiProperty({ example: 1 })
  row_count: number;

  @ApiProperty({ example: false })
  truncated: boolean;

  @ApiProperty({ type: Object, nullable: true, example: { value: '98765.43' } })
  totals: { value: unknown } | null;

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

  @ApiProperty({ type: [MetricSourceResponse], description: '结果所依据的表 / The tables the result rests on' })
  sources: MetricSourceResponse[];

  @ApiProperty({ type: [MetricWarning], example: [] })
  warnings: MetricWarning[];
}

/** Fills in every default of the request, as the compiler needs it. */
export function toMetricRequest(body: ExecuteMetricRequest): MetricRequest {
  const clause = body.filter_clause ?? null;
  return {
    dimensions: body.dimensions ?? [],
    time: body.time ? withoutNulls(body.time) : null,
    filters: (body.filters ?? []).map(withoutNulls),
    filter_clause: clause === null || clause.trim() === '' ? null : clause,
    having: (body.having ?? []).map(({ op, value }) => ({ op, value: String(value) })),
    order: (body.order ?? []).map(({ by, dir, nulls }) => ({ by, dir: dir ?? 'asc', nulls: nulls ?? 'last' })),
    limit: body.limit ?? defaultLimit,
    offset: body.offset ?? 0,
    totals: body.totals ?? false,
  };
}

/** Some clients send null for fields that they leave out. */
function withoutNulls<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}
