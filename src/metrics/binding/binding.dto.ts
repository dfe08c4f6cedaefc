import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsDefined, IsIn, IsInt, IsObject, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Length, MaxLength } from '../../http/validation/length.decorator.js';
import { Nested } from '../../http/validation/nested.decorator.js';
import { additivities, type Additivity } from '../plan/metric-binding.js';
import { grains } from '../plan/metric-request.js';
import { bindingExample } from '../metric-examples.js';

/** Matches a name that becomes an SQL identifier or a column of the answer. PostgreSQL keeps 63 bytes of an identifier. */
export const identifier = /^[^\p{Cc}\p{Cs}"]{1,63}$/u;
/** The name of a table, with or without its schema: up to two identifiers with a dot in between. */
export const tableName = /^[^\p{Cc}\p{Cs}"]{1,127}$/u;
const sqlLength = 4_000;

export class BindingRelation {
  @ApiPropertyOptional({
    nullable: true,
    example: 'mirror',
    description: '连接中表所在的模式，可省略 / the schema of the connection; may be left out',
  })
  @IsOptional()
  @IsString()
  schema?: string;

  @ApiPropertyOptional({
    nullable: true,
    example: 'order_lines',
    description: '其他模式的表写作 schema.table / tables of other schemas are written as schema.table',
  })
  @IsOptional()
  @IsString()
  @Matches(tableName, { message: 'table must be the name of a table' })
  table?: string;

  @ApiPropertyOptional({ nullable: true, description: '一条 SELECT，代替 table / one SELECT, in place of a table' })
  @IsOptional()
  @IsString()
  @MaxLength(20_000)
  sql?: string;
}

export class BindingTime {
  @ApiProperty({ example: 'orders.order_date' })
  @IsString()
  @Length(1, sqlLength)
  column: string;

  @ApiPropertyOptional({
    nullable: true,
    enum: ['date', 'timestamp', 'timestamptz'],
    description: '省略时取自表 / taken from the table when left out',
  })
  @IsOptional()
  @IsIn(['date', 'timestamp', 'timestamptz'])
  type?: 'date' | 'timestamp' | 'timestamptz';

  @ApiPropertyOptional({ nullable: true, example: 'Asia/Shanghai', default: 'UTC' })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  @ApiPropertyOptional({
    nullable: true,
    enum: grains,
    description:
      '请求可用的最细粒度；省略时，时刻为 hour，日期为 day / the finest grain of requests; hour for times and day for dates when left out',
  })
  @IsOptional()
  @IsIn(grains)
  min_grain?: (typeof grains)[number];

  @ApiPropertyOptional({ nullable: true, enum: ['monday', 'sunday'], default: 'monday' })
  @IsOptional()
  @IsIn(['monday', 'sunday'])
  week_start?: 'monday' | 'sunday';
}

export class BindingDimension {
  @ApiProperty({ example: '地区' })
  @IsString()
  @Matches(identifier, { message: 'name must be 1 to 63 characters without control characters and double quotes' })
  name: string;

  @ApiPropertyOptional({ nullable: true, type: [String], example: ['region'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @Matches(identifier, { each: true, message: 'an alias must be 1 to 63 characters without control characters and double quotes' })
  aliases?: string[];

  @ApiProperty({
    example: 'regions.region_name',
    description: '逻辑列名，或物理列上的表达式 / a logical column, or an expression over the tables',
  })
  @IsString()
  @Length(1, sqlLength)
  column: string;

  @ApiPropertyOptional({ nullable: true, description: '只作说明；实际类型取自表 / descriptive; the real type is read from the table' })
  @IsOptional()
  @IsString()
  type?: string;
}

export class BindingEntity {
  @ApiProperty({ example: 'user_id' })
  @IsString()
  @Matches(identifier, { message: 'name must be 1 to 63 characters without control characters and double quotes' })
  name: string;

  @ApiProperty({ example: 'orders.customer_id', description: '逻辑列名或表达式 / a logical column, or an expression over the tables' })
  @IsString()
  @Length(1, sqlLength)
  column: string;
}

export class BindingJoin {
  @ApiPropertyOptional({ nullable: true, example: 'orders', description: '默认为表名 / the table name when left out' })
  @IsOptional()
  @IsString()
  @Matches(identifier, { message: 'alias must be a name' })
  alias?: string;

  @ApiPropertyOptional({
    nullable: true,
    example: 'mirror',
    description: '连接中表所在的模式，可省略 / the schema of the connection; may be left out',
  })
  @IsOptional()
  @IsString()
  schema?: string;

  @ApiProperty({ example: 'orders' })
  @IsString()
  @Matches(identifier, { message: 'table must be the name of a table' })
  table: string;

  @ApiPropertyOptional({ nullable: true, enum: ['left', 'inner'], default: 'left' })
  @IsOptional()
  @IsIn(['left', 'inner'])
  kind?: 'left' | 'inner';

  @ApiPropertyOptional({
    nullable: true,
    enum: ['many_to_one', 'one_to_one', 'one_to_many', 'many_to_many'],
    default: 'many_to_one',
    description:
      '后两种会重复事实行，被拒绝（FanOutJoin）；只有 one_to_one 的连接表的列可以逐行相加 / the last two repeat fact rows and are refused (FanOutJoin); columns of a table may be added up by row only if it is joined one_to_one',
  })
  @IsOptional()
  @IsIn(['many_to_one', 'one_to_one', 'one_to_many', 'many_to_many'])
  relationship?: 'many_to_one' | 'one_to_one' | 'one_to_many' | 'many_to_many';

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    example: [['order_lines.order_id', 'orders.order_id']],
  })
  @IsArray()
  @ArrayMaxSize(8)
  on: string[][];
}

export class BindingRequest {
  @ApiPropertyOptional({ type: Number, nullable: true, example: null, description: 'null = 默认连接 / the default connection' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(2 ** 31 - 1)
  connection_id?: number | null;

  @ApiProperty({ type: BindingRelation, example: bindingExample.relation })
  @IsDefined()
  @Nested(BindingRelation)
  relation: BindingRelation;

  @ApiPropertyOptional({ nullable: true, example: 'order_lines', description: '默认为表名 / the table name when left out' })
  @IsOptional()
  @IsString()
  @Matches(identifier, { message: 'alias must be a name' })
  alias?: string;

  @ApiPropertyOptional({ nullable: true, type: [String], example: bindingExample.grain, description: '行的标识 / what identifies a row' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(16)
  @IsString({ each: true })
  grain?: string[];

  @ApiPropertyOptional({ nullable: true, type: BindingTime, example: bindingExample.time })
  @IsOptional()
  @Nested(BindingTime)
  time?: BindingTime | null;

  @ApiPropertyOptional({
    nullable: true,
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 金额: 'order_lines.unit_price * order_lines.quantity' },
    description: '逻辑名 → 表达式；省略时为表的全部列 / logical name → expression; all columns of the table when left out',
  })
  @IsOptional()
  @IsObject()
  columns?: Record<string, string>;

  @ApiPropertyOptional({ nullable: true, type: [BindingDimension], example: bindingExample.dimensions })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @Nested(BindingDimension, { each: true })
  dimensions?: BindingDimension[];

  @ApiPropertyOptional({
    nullable: true,
    type: [BindingEntity],
    description: '转化率按实体归因；列也可作实体 / what conversions are counted by; a column can be an entity too',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @Nested(BindingEntity, { each: true })
  entities?: BindingEntity[];

  @ApiPropertyOptional({ nullable: true, type: [BindingJoin], example: bindingExample.joins })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(16)
  @Nested(BindingJoin, { each: true })
  joins?: BindingJoin[];

  @ApiPropertyOptional({ type: String, nullable: true, example: null, description: '物理列上的谓词 / a predicate over the tables' })
  @IsOptional()
  @IsString()
  row_filter?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    enum: additivities,
    default: 'auto',
    description:
      'additive：各行的值均可相加，连接表的列也逐行计入；auto：只取多对一连接表的列的聚合被拒绝（FanOutMeasure），MIN、MAX、COUNT(DISTINCT …) 除外；semi_additive：余额、库存等某一时刻的状态，不能跨时间相加，SUM 被拒绝；non_additive：比率、单价等，SUM、FIRST、LAST 均被拒绝 / additive: the values of rows add up, and columns of joined tables count by row too; auto: an aggregate of nothing but columns of many-to-one joins is refused (FanOutMeasure), except MIN, MAX and COUNT(DISTINCT …); semi_additive: states at a time, such as balances and stocks, which do not add up over time: SUM is refused; non_additive: rates, unit prices: SUM, FIRST and LAST are refused',
  })
  @IsOptional()
  @IsIn(additivities)
  additivity?: Additivity;
}
