import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { IsName } from '../http/validation/is-name.decorator.js';
import { MaxLength } from '../http/validation/length.decorator.js';
import { Nested } from '../http/validation/nested.decorator.js';
import { type SynonymKind, synonymKinds } from '../questions/vocabulary.js';
import { type SynonymRow } from './lexicon.repository.js';

const kind = {
  enum: synonymKinds,
  example: 'property',
  description: 'name 指节点的显示名，或其属性的文本值 / name is the display of nodes, or a text that one of their properties has',
};

export class LexiconEntry {
  @ApiProperty(kind)
  @IsIn(synonymKinds)
  kind: SynonymKind;

  @ApiProperty({ example: '单价', maxLength: 128, description: '图或指标中已有的名称 / a name that the graph or a metric has' })
  @IsName()
  name: string;

  @ApiProperty({ type: [String], example: ['价格', 'price'], maxItems: 50 })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @IsName(64, { each: true })
  synonyms: string[];
}

export class AddSynonymsRequest {
  @ApiPropertyOptional({ type: [LexiconEntry], maxItems: 500 })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(500)
  @Nested(LexiconEntry, { each: true })
  entries?: LexiconEntry[];

  @ApiPropertyOptional({
    example: 'kind,name,synonym\nproperty,单价,价格\n',
    maxLength: 200_000,
    description: '代替 entries：CSV，首行为 kind,name,synonym / in place of entries: CSV with these three columns, named in its first line',
  })
  @IsOptional()
  @IsString()
  @MaxLength(200_000)
  csv?: string;

  @ApiPropertyOptional({
    default: false,
    description:
      '同义词已是别的名称时也添加；问到它的问题可能有歧义 / adds synonyms that are other names already; questions with them may be ambiguous',
  })
  @IsOptional()
  @IsBoolean()
  allow_clashes?: boolean;
}

export class AddSynonymsResponse {
  @ApiProperty({ example: 2 })
  added: number;

  @ApiProperty({ example: 0, description: '原已存在的 / those that were there already' })
  unchanged: number;
}

export class SynonymResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty(kind)
  kind: SynonymKind;

  @ApiProperty({ example: '单价' })
  name: string;

  @ApiProperty({ example: '价格' })
  synonym: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export function toSynonymResponse({ created_at, ...row }: SynonymRow): SynonymResponse {
  return { ...row, created_at: created_at.toISOString() };
}
