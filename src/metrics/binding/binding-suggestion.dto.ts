import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Length, MaxLength } from '../../http/validation/length.decorator.js';
import { maxId } from '../../http/validation/positive-int.pipe.js';
import { BindingRequest, tableName } from './binding.dto.js';
import { type BindingDraft } from './draft-binding.js';

export class SuggestBindingRequest {
  @ApiPropertyOptional({ type: Number, nullable: true, example: null, description: 'null = 默认连接 / the default connection' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxId)
  connection_id?: number | null;

  @ApiProperty({ example: 'order_lines', description: '事实表 / the table whose rows are measured' })
  @IsString()
  @Matches(tableName, { message: 'table must be the name of a table' })
  table: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'SUM(unit_price * quantity)',
    description: '要绑定的公式 / the formula to be bound',
  })
  @IsOptional()
  @IsString()
  @Length(1, 4_000)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'formula must be valid text' })
  formula?: string | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    description: '要绑定的指标，代替 formula / the metric to be bound, in place of formula',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(maxId)
  metric_id?: number | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'Asia/Shanghai',
    description: '分日的时区 / the zone in which days begin',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  timezone?: string | null;
}

class TimeColumnResponse {
  @ApiProperty({ example: '"orders"."order_date"' })
  column: string;

  @ApiProperty({ example: 'date' })
  type: string;
}

class SuggestedTimeResponse extends TimeColumnResponse {
  @ApiProperty({ type: [TimeColumnResponse], example: [], description: '也可用作时间的列 / other columns that could be the time' })
  alternatives: TimeColumnResponse[];

  @ApiProperty({
    example: false,
    description:
      '此列有时刻，而请求没有给出 timezone：草稿按 UTC 分日，请补上时区 / it holds times of day and the request has no timezone: the draft begins days in UTC, so add the zone',
  })
  asks_for_timezone: boolean;
}

class FoundNameResponse {
  @ApiProperty({ example: 'unit_price' })
  name: string;

  @ApiProperty({ example: '"order_lines"."unit_price"' })
  column: string;
}

class MissingNameResponse {
  @ApiProperty({ example: 'amuont' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'amount' })
  nearest: string | null;
}

class BilingualReason {
  @ApiProperty({ example: '表不可读' })
  zh: string;

  @ApiProperty({ example: 'the table cannot be read' })
  en: string;
}

class UnusedResponse {
  @ApiProperty({ example: 'audit' })
  table: string;

  @ApiProperty({ type: [String], example: [], description: '空：整张表 / empty: the whole table' })
  columns: string[];

  @ApiProperty({ type: BilingualReason })
  reason: BilingualReason;
}

class GuessedJoinResponse {
  @ApiProperty({ example: 'customers' })
  table: string;

  @ApiProperty({ example: 'customers', description: '草稿中该连接的别名 / the alias of the join in the draft' })
  alias: string;

  @ApiProperty({ example: 830, description: '抽查的不同值 / different values that were looked up' })
  sampled: number;

  @ApiProperty({ example: 830, description: '其中是另一张表的键的 / those of them that are keys of the other table' })
  found: number;
}

export class SuggestBindingResponse {
  @ApiProperty({ type: BindingRequest, description: '可直接交给 PUT /metrics/{id}/binding / can go to PUT /metrics/{id}/binding as it is' })
  binding: BindingRequest;

  @ApiProperty({ type: SuggestedTimeResponse, nullable: true })
  time: SuggestedTimeResponse | null;

  @ApiProperty({ type: [FoundNameResponse], description: '公式中的列名与所指的列 / names of the formula and their columns' })
  found: FoundNameResponse[];

  @ApiProperty({ type: [MissingNameResponse], description: '公式中没有找到的列名 / names of the formula without a column' })
  not_found: MissingNameResponse[];

  @ApiProperty({
    type: [GuessedJoinResponse],
    description:
      '表没有声明外键，按列名推测并以数据核对的连接，请核对 / joins that no table declares: names proposed them and the data confirms them; look at them',
  })
  guessed_joins: GuessedJoinResponse[];

  @ApiProperty({ type: [UnusedResponse], description: '未用的表与列及原因 / tables and columns that are not used, and why' })
  left_out: UnusedResponse[];
}

export function toSuggestBindingResponse({ binding, time, found, notFound, leftOut, guessed }: BindingDraft): SuggestBindingResponse {
  return {
    binding,
    time: time && { ...time.chosen, alternatives: time.alternatives, asks_for_timezone: time.asksForZone },
    found,
    not_found: notFound,
    guessed_joins: guessed.map(({ table, alias, evidence }) => ({ table, alias, ...evidence })),
    left_out: leftOut,
  };
}
