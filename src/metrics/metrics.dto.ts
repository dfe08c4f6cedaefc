import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Length, MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { IsName } from '../http/validation/is-name.decorator.js';
import { QueryInt } from '../http/validation/query-int.decorator.js';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { sentence } from '../http/validation/sentence.js';
import { PageQuery } from '../http/paging/page.js';
import { BindingRequest } from './binding/binding.dto.js';
import { type MetricDescription } from './describe-metric.js';
import { MetricWarning } from './execute.dto.js';
import { decimalFormat } from './round-decimal.js';
import { supportedPatterns } from './formula/formula-keywords.js';
import { bindingExample, formulaExample } from './metric-examples.js';
import { type MetricRow } from './metric-rows.js';

const printable = /^[^\p{Cc}\p{Cs}]*$/u;
/** Maximum characters of a formula. The parser accepts as many. */
const maxFormula = 4_000;

export class CreateMetricRequest {
  @ApiProperty({ example: 1 })
  @IsInt()
  @Min(1)
  @Max(maxId)
  graph_id: number;

  @ApiProperty({ example: '销售额', maxLength: 128 })
  @IsName()
  name: string;

  @ApiPropertyOptional({ type: [String], example: ['revenue'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 128, { each: true })
  @Matches(printable, { each: true, message: 'aliases must be free of control characters' })
  aliases?: string[];

  @ApiProperty({ example: formulaExample })
  @IsString()
  @Length(1, maxFormula)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'formula must be valid text' })
  formula: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'CNY' })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  @Matches(printable, { message: 'unit must be free of control characters' })
  unit?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '0.00',
    description: '答案中值的小数位数：0、0.00、0.0% / the digits after the point of its values in answers',
  })
  @IsOptional()
  @Matches(decimalFormat, sentence({ zh: '应如 0、0.00 或 0.0%', en: 'must be like 0, 0.00 or 0.0%' }))
  format?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '折后销售额 / revenue after discount' })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'description must be valid text' })
  description?: string | null;

  @ApiPropertyOptional({ type: BindingRequest, nullable: true, example: bindingExample })
  @IsOptional()
  @Nested(BindingRequest)
  binding?: BindingRequest | null;
}

export class UpdateMetricRequest {
  @ApiPropertyOptional({ example: '净销售额' })
  @IsOptional()
  @IsName()
  name?: string;

  @ApiPropertyOptional({ type: [String], example: ['revenue', 'net revenue'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 128, { each: true })
  @Matches(printable, { each: true, message: 'aliases must be free of control characters' })
  aliases?: string[];

  @ApiPropertyOptional({ example: formulaExample })
  @IsOptional()
  @IsString()
  @Length(1, maxFormula)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'formula must be valid text' })
  formula?: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'CNY' })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  @Matches(printable, { message: 'unit must be free of control characters' })
  unit?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '0.00',
    description: '答案中值的小数位数：0、0.00、0.0% / the digits after the point of its values in answers',
  })
  @IsOptional()
  @Matches(decimalFormat, sentence({ zh: '应如 0、0.00 或 0.0%', en: 'must be like 0, 0.00 or 0.0%' }))
  format?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '折后销售额 / revenue after discount' })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'description must be valid text' })
  description?: string | null;
}

export class SaveMetricQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '公式不符合任何模式时也保存 / save a formula that matches no pattern as well',
  })
  @IsOptional()
  @IsIn(['true', 'false'])
  draft?: 'true' | 'false';
}

export class ListMetricsQuery extends PageQuery {
  @ApiPropertyOptional({ example: 1 })
  @IsOptional()
  @QueryInt()
  @IsInt()
  @Min(1)
  @Max(maxId)
  graph_id?: number;
}

export class ParseFormulaRequest {
  @ApiProperty({ example: '求和(unit_price * quantity 条件 discount > 0) / [订单数]' })
  @IsString()
  formula: string;
}

class FormulaReading {
  @ApiProperty({ example: '满足 `discount > 0` 的行中 `unit_price * quantity` 的和，除以「订单数」' })
  zh: string;

  @ApiProperty({ example: 'the sum of `unit_price * quantity` where `discount > 0`, divided by "订单数"' })
  en: string;
}

export class ParseFormulaResponse {
  @ApiProperty({ enum: supportedPatterns, example: 'ratio' })
  pattern: string;

  @ApiProperty({ type: FormulaReading, description: '公式的意思 / what the formula says, in words' })
  reading: FormulaReading;

  @ApiProperty({ type: [String], description: '公式引用的指标 / the metrics it names', example: ['订单数'] })
  metrics: string[];

  @ApiProperty({ description: '能否执行：所有模式都能 / whether it can be executed: every pattern can', example: true })
  executable: boolean;

  @ApiProperty({ type: Object, description: '语法树 / the syntax tree' })
  tree: object;
}

class MetricDimensionResponse {
  @ApiProperty({ example: '地区' })
  name: string;

  @ApiProperty({ type: [String], example: ['region'] })
  aliases: string[];

  @ApiProperty({ example: 'text' })
  type: string;
}

export class MetricResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 1 })
  graph_id: number;

  @ApiProperty({ example: '销售额' })
  name: string;

  @ApiProperty({ type: [String], example: ['revenue'] })
  aliases: string[];

  @ApiProperty({ example: formulaExample })
  formula: string;

  @ApiProperty({
    enum: supportedPatterns,
    nullable: true,
    description: 'null：公式不符合任何模式，或没有绑定 / no pattern matches, or it is not bound',
  })
  pattern: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'CNY' })
  unit: string | null;

  @ApiProperty({ type: String, nullable: true, example: '0.00' })
  format: string | null;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({
    type: BindingRequest,
    nullable: true,
    example: bindingExample,
    description:
      '仅给可修改指标者（editor 及以上），否则为 null，与执行应答中的 sql 同 / only for those who may change metrics (editor or above), else null, as `sql` of an answer',
  })
  binding: object | null;

  @ApiProperty({ type: [MetricDimensionResponse] })
  dimensions: MetricDimensionResponse[];

  @ApiProperty({ example: true, description: '能否按时间查询 / whether it can be asked by time' })
  has_time: boolean;

  @ApiProperty({ type: [MetricWarning], example: [] })
  warnings: MetricWarning[];

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

export function toMetricResponse(row: MetricRow, { pattern, dimensions, hasTime, warnings }: MetricDescription): MetricResponse {
  return {
    id: row.id,
    graph_id: row.graphId,
    name: row.name,
    aliases: row.aliases,
    formula: row.formula,
    pattern,
    unit: row.unit,
    format: row.format,
    description: row.description,
    binding: row.binding?.source ?? null,
    dimensions: dimensions.map(({ name, aliases, type }) => ({ name, aliases, type })),
    has_time: hasTime,
    warnings,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
