import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString } from 'class-validator';
import { IsName } from '../http/validation/is-name.decorator.js';
import { MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { QueryRequest } from './queries.dto.js';
import { asSent } from './query-state.dto.js';
import { type SavedQueryRow } from './saved-queries.repository.js';

const name = {
  example: '贵的产品 / expensive products',
  maxLength: 128,
  description: '在该图您的查询中唯一 / unique among yours on the graph',
};
const description = { example: '单价高于 $min 的产品 / products dearer than $min', maxLength: 2_000 };
const request = {
  type: QueryRequest,
  example: { cypher: 'MATCH (p:产品) WHERE p.单价 > $min RETURN p', parameters: { min: 10 } },
  description: '与查询的请求相同；parameters 为缺省值 / as a request to query; its parameters are defaults',
};

export class CreateSavedQueryRequest {
  @ApiProperty(name)
  @IsName()
  name: string;

  @ApiPropertyOptional({ ...description, default: '' })
  @IsOptional()
  @IsString()
  @MaxLength(description.maxLength)
  description?: string;

  @ApiProperty(request)
  @Nested(QueryRequest)
  request: QueryRequest;
}

export class ChangeSavedQueryRequest {
  @ApiPropertyOptional(name)
  @IsOptional()
  @IsName()
  name?: string;

  @ApiPropertyOptional(description)
  @IsOptional()
  @IsString()
  @MaxLength(description.maxLength)
  description?: string;

  @ApiPropertyOptional(request)
  @IsOptional()
  @Nested(QueryRequest)
  request?: QueryRequest;
}

export class RunSavedQueryRequest {
  @ApiPropertyOptional({
    type: Object,
    example: { min: 20 },
    description: '取代所存的同名参数，仅 cypher / in place of the saved parameters of the same names; cypher only',
  })
  @IsOptional()
  @IsObject()
  parameters?: Record<string, unknown>;
}

export class SavedQueryResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 1 })
  graph_id: number;

  @ApiProperty({ example: name.example })
  name: string;

  @ApiProperty({ example: description.example })
  description: string;

  @ApiProperty({ type: Object, example: request.example })
  request: QueryRequest;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

export function toSavedQueryResponse({ created_at, updated_at, request: saved, ...row }: SavedQueryRow): SavedQueryResponse {
  return { ...row, request: asSent(saved), created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
