import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString } from 'class-validator';
import { type Response } from 'express';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { yamlTypes } from '../http/validation/yaml-body.decorator.js';
import { Length } from '../http/validation/length.decorator.js';
import { type Bilingual } from '../text/bilingual.js';
import { pathText } from './mapping/mapping.js';
import { type Suggestion } from './suggest/suggestion.js';

export const draftExample = `version: 1
source:
  connection: pg_mirror
nodes:
  - id: regions
    label: regions
    table: regions
    # 推测：没有声明主键；region_id 在检查过的行中没有重复，也没有空值
    # guess: no key is declared; region_id was never empty and never repeated in the rows that were checked
    key: [region_id]
    columns:
      - {column: region_id, type: int, rules: [unique]}
      - {column: region_name, type: string}
`;

export class SuggestMappingRequest {
  @ApiPropertyOptional({
    example: 'pg_mirror',
    maxLength: 128,
    description: '连接的名称或编号，缺省为默认的镜像连接 / name or id of a connection; the default mirror unless given',
  })
  @IsOptional()
  @IsString()
  @Length(1, 128)
  connection?: string;

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    example: ['regions', 'customers', 'suppliers', 'products', 'orders', 'order_lines'],
    description: '要起草的表；缺省为可读的前 100 张 / the tables to draft; the first 100 that may be read unless given',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 300, { each: true })
  tables?: string[];
}

class BilingualResponse {
  @ApiProperty({ example: '没有声明主键；region_id 在检查过的行中没有重复，也没有空值' })
  zh: string;

  @ApiProperty({ example: 'no key is declared; region_id was never empty and never repeated in the rows that were checked' })
  en: string;
}

class GuessResponse {
  @ApiProperty({ example: 'nodes[0].key' })
  path: string;

  @ApiProperty({ example: 10 })
  line: number;

  @ApiProperty({ enum: ['key', 'edge', 'sensitive', 'display', 'collation'], example: 'key' })
  kind: string;

  @ApiProperty({ type: BilingualResponse })
  text: BilingualResponse;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { rows: 3, distinct: 3, checked: 'all' },
    description: '所依据的计数与名称，不含数据的值 / counts and names that it rests on, without values of rows',
  })
  evidence: Record<string, unknown>;
}

class LeftOutResponse {
  @ApiProperty({ example: 'audit_log' })
  table: string;

  @ApiProperty({ type: [String], example: [], description: '空：整张表 / empty: the whole table' })
  columns: string[];

  @ApiProperty({ type: BilingualResponse })
  reason: BilingualResponse;
}

class CheckedResponse {
  @ApiProperty({ example: true, description: '已按来源的表与列检查 / checked against the tables and columns of the source' })
  source: boolean;

  @ApiProperty({ example: true, description: '推测都在时限内核对过 / all that could be guessed was looked into in time' })
  guesses: boolean;
}

export class SuggestMappingResponse {
  @ApiProperty({ example: draftExample })
  mapping_yaml: string;

  @ApiProperty({
    type: [GuessResponse],
    description: '没有声明可依据的部分，注释中也有标记 / parts without a declaration behind them, also marked in comments',
  })
  guesses: GuessResponse[];

  @ApiProperty({ type: [LeftOutResponse], description: '未映射的表与列及原因 / tables and columns that are not mapped, and why' })
  left_out: LeftOutResponse[];

  @ApiProperty({ example: 0, description: '未映射的总数，left_out 只列出前面一些 / how many there are, of which left_out has the first' })
  left_out_count: number;

  @ApiProperty({ type: CheckedResponse })
  checked: CheckedResponse;
}

/** Answers with a suggestion: as YAML alone if the client prefers YAML to JSON, otherwise as JSON with the YAML as a text in it. */
export function answerWithSuggestion(response: Response, suggestion: Suggestion): SuggestMappingResponse | string {
  const preferred = response.req.accepts('application/json', ...yamlTypes);
  if (preferred === false || preferred === 'application/json') return toSuggestMappingResponse(suggestion);
  response.type('application/yaml');
  return suggestion.yaml;
}

function toSuggestMappingResponse(suggestion: Suggestion): SuggestMappingResponse {
  return {
    mapping_yaml: suggestion.yaml,
    guesses: suggestion.guesses.map(({ path, line, kind, text, evidence }) => ({
      path: pathText(path),
      line,
      kind,
      text: pair(text),
      evidence,
    })),
    left_out: suggestion.leftOut.map(({ table, columns, reason }) => ({ table, columns, reason: pair(reason) })),
    left_out_count: suggestion.leftOutCount,
    checked: { source: suggestion.isCheckedWithSource, guesses: suggestion.areGuessesChecked },
  };
}

function pair({ zh, en }: Bilingual): BilingualResponse {
  return { zh, en };
}
