import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { sentence } from '../http/validation/sentence.js';
import { IsDecimal, IsScalar } from './execute-values.decorator.js';
import { relativeRange, relativeRangeForm } from './plan/relative-range.js';
import { compareModes, filterOperators, grains, havingOperators } from './plan/metric-request.js';

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

  @ApiPropertyOptional({
    enum: grains,
    example: 'month',
    description:
      'hour 只用于时间列有时刻的绑定（PostgreSQL 与镜像）；其时段带偏移，如 2024-10-27T02:00+01:00，回拨而重复的一小时为两段 / hour is for bindings on PostgreSQL and the mirror whose time column tells the hour; its periods have their offset, as 2024-10-27T02:00+01:00, and an hour that comes twice is two of them',
  })
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
      '代替 field：同一图中的指标；只留下它符合条件的 by，by 为空的行不留 / in place of field: a metric of the graph; rows stay whose `by` it fits for, and none that lack one',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxId)
  metric?: number;

  @ApiPropertyOptional({ example: '产品', description: '与 metric 同用：维度、实体或列 / with metric: a dimension, an entity or a column' })
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

  @ApiPropertyOptional({
    oneOf: scalar,
    description: '单个值；时间列与日期比较时，日期指一整天 / one value; beside a column of times a date means the whole day',
  })
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

export class ExecuteCompare {
  @ApiProperty({ example: '1 year', description: '多久以前：数目加 hour、day、week、month、quarter 或 year / how long ago' })
  @Matches(
    /^[1-9]\d{0,3} (hour|day|week|month|quarter|year)s?$/,
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

/** The rows of a metric that a caller asks for: dimensions, time, filters and order. */
export class SelectMetricRows {
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

  @ApiPropertyOptional({ type: ExecuteCompare, nullable: true, example: { offset: '1 year' } })
  @IsOptional()
  @Nested(ExecuteCompare)
  compare?: ExecuteCompare | null;
}
