import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { MaxLength } from '../http/validation/length.decorator.js';
import { IsName } from '../http/validation/is-name.decorator.js';
import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { checkDetail } from '../common/json/check-detail.js';
import { parseExactJson } from '../common/json/parse-exact-json.js';
import { type ElementRow, type GraphRow, type NeighborRow, type NodeRow } from './graphs.repository.js';

const maxDescription = 2000;
/** The schema of a 64-bit id. An id beyond JavaScript's safe integers is sent as a string. */
const bigId = { oneOf: [{ type: 'integer' }, { type: 'string' }] };

export class CreateGraphRequest {
  @ApiProperty({ example: '贸易图谱', maxLength: 128 })
  @IsName()
  name: string;

  @ApiPropertyOptional({ example: '客户、订单、产品与供应商' })
  @IsOptional()
  @IsString()
  @MaxLength(maxDescription)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'description must be valid text' })
  description?: string;
}

export class UpdateGraphRequest {
  @ApiPropertyOptional({ example: '贸易图谱 2026', maxLength: 128 })
  @IsOptional()
  @IsName()
  name?: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: '客户、订单、产品与供应商' })
  @IsOptional()
  @IsString()
  @MaxLength(maxDescription)
  @Matches(/^[^\0\p{Cs}]*$/u, { message: 'description must be valid text' })
  description?: string | null;
}

export class GraphResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: '贸易图谱' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: '客户、订单、产品与供应商' })
  description: string | null;

  @ApiProperty({ example: 'admin' })
  owner: string;

  @ApiProperty({ enum: ['owner', 'admin', 'manager', 'editor', 'viewer'], description: '调用者的角色 / the role of the caller' })
  role: string;

  @ApiProperty({ example: 1, description: '每次摄取成功加一 / rises by one with every successful run' })
  version: number;

  @ApiProperty({ example: 1507328, description: '最近一次运行后占用的磁盘字节 / bytes on disk after the last run' })
  bytes: number;

  @ApiProperty({ example: 1240 })
  node_count: number;

  @ApiProperty({ example: 5210 })
  edge_count: number;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

class SchemaPropertyResponse {
  @ApiProperty({ example: '单价' })
  name: string;

  @ApiProperty({ example: 'decimal(12,2)' })
  type: string;

  @ApiProperty({ type: String, nullable: true, example: 'unit_price' })
  column: string | null;

  @ApiPropertyOptional({
    enum: [true],
    description:
      '映射标为 sensitive：不发给语言模型；旧版本摄取的图没有此项，直到再次运行 / The mapping says sensitive, so no language model gets it; absent in graphs of an earlier release until the job runs again',
  })
  sensitive?: true;
}

class SchemaSourceResponse {
  @ApiProperty({ example: 'pg_mirror' })
  connection: string;

  @ApiProperty({ example: 'products', description: '源表，映射读取 SQL 时为 query / Source table; `query` where the mapping reads SQL' })
  table: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['orders', 'order_lines'],
    description: '仅当映射读取 SQL 时：其读取的表，最多 100 个 / Only where the mapping reads SQL: the tables it reads, at most 100',
  })
  query_tables?: string[];

  @ApiProperty({ type: [String], example: ['product_id'] })
  key_columns: string[];

  @ApiProperty({ example: 1 })
  job_id: number;
}

class SchemaElementResponse {
  @ApiProperty({ type: [String], example: ['Product'] })
  aliases: string[];

  @ApiProperty({ type: [SchemaPropertyResponse] })
  properties: SchemaPropertyResponse[];

  @ApiProperty({
    example: 60,
    description: '多个任务共同给出的，计在其中一个任务名下 / what several jobs yield is counted with one of them',
  })
  count: number;

  @ApiProperty({ type: SchemaSourceResponse })
  source: SchemaSourceResponse;
}

class SchemaFurtherLabelResponse {
  @ApiProperty({ example: '热销' })
  name: string;

  @ApiProperty({ type: [String], example: ['Bestseller'] })
  aliases: string[];

  @ApiProperty({
    example: 12,
    description: 'label 的节点中带此标签的个数，不论由哪个任务给出 / the nodes of `label` that carry it, whichever job gave it to them',
  })
  count: number;
}

class SchemaNodeResponse extends SchemaElementResponse {
  @ApiProperty({ example: '产品', description: '键的标签，每个节点有且只有一个 / the label of the key, of which each node has one' })
  label: string;

  @ApiProperty({
    type: [SchemaFurtherLabelResponse],
    description: '这些节点可另有的标签 / further labels that these nodes may carry',
  })
  labels: SchemaFurtherLabelResponse[];
}

class SchemaEdgeResponse extends SchemaElementResponse {
  @ApiProperty({ example: '供应' })
  type: string;

  @ApiProperty({ example: '供应商' })
  from: string;

  @ApiProperty({ example: '产品' })
  to: string;
}

export class GraphSchemaResponse {
  @ApiProperty({ type: [SchemaNodeResponse] })
  nodes: SchemaNodeResponse[];

  @ApiProperty({ type: [SchemaEdgeResponse] })
  edges: SchemaEdgeResponse[];
}

export class NodeResponse {
  @ApiProperty({ ...bigId, example: 1, description: '超出安全整数时为字符串 / a string beyond the safe integers' })
  id: number | string;

  @ApiProperty({ example: '产品' })
  label: string;

  @ApiProperty({ type: [String], example: ['产品', '热销'], description: '全部标签，label 在首位 / all labels, `label` first' })
  labels: string[];

  @ApiProperty({ example: '11' })
  key: string;

  @ApiProperty({ example: '蓝牙耳机' })
  display: string;

  @ApiProperty({ type: Object, example: { 产品编号: 11, 单价: 299 } })
  properties: Record<string, unknown>;

  @ApiPropertyOptional({
    enum: [true],
    description:
      '占位节点：由关系的 on_missing: create 建立，只有键属性；其他节点没有此项 / A stub, made by on_missing: create of a relationship, with key properties only; absent in other nodes',
  })
  stub?: true;
}

class NeighborNodeResponse {
  @ApiProperty({ ...bigId, example: 2 })
  id: number | string;

  @ApiProperty({ example: '供应商' })
  label: string;

  @ApiProperty({ type: [String], example: ['供应商'], description: '全部标签，label 在首位 / all labels, `label` first' })
  labels: string[];

  @ApiProperty({ example: '3' })
  key: string;

  @ApiProperty({ example: '华南电子' })
  display: string;
}

export class NeighborResponse {
  @ApiProperty({ ...bigId, example: 7 })
  edge_id: number | string;

  @ApiProperty({ example: '供应' })
  type: string;

  @ApiProperty({ enum: ['out', 'in'] })
  direction: string;

  @ApiProperty({ type: Object, example: {} })
  properties: Record<string, unknown>;

  @ApiProperty({ type: NeighborNodeResponse })
  node: NeighborNodeResponse;
}

/** The most bytes of the properties of one node or edge. Parsing this many bytes at once takes up to 30 ms. */
const mostPropertyBytes = 524_288;

/** @throws AnswerTooLargeError, ValueTooDetailedError */
function parseProperties(text: string): Record<string, unknown> {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostPropertyBytes) throw new AnswerTooLargeError('node', bytes, mostPropertyBytes);
  checkDetail(text);
  return parseExactJson(text) as Record<string, unknown>;
}

/** Turns the text of an int8 into a number if a number can represent it exactly, otherwise returns the text. */
function exact(value: string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

export function toGraphResponse(row: GraphRow): GraphResponse {
  return {
    ...row,
    bytes: Number(row.bytes),
    node_count: Number(row.node_count),
    edge_count: Number(row.edge_count),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toGraphSchemaResponse(rows: ElementRow[]): GraphSchemaResponse {
  const common = (row: ElementRow) => ({
    aliases: row.aliases,
    properties: row.properties,
    count: Number(row.row_count),
    source: {
      connection: row.connection,
      table: row.source_table,
      ...(row.query_tables && { query_tables: row.query_tables }),
      key_columns: row.key_columns,
      job_id: row.job_id,
    },
  });
  return {
    nodes: rows.filter(row => row.kind === 'node').map(row => ({ label: row.name, labels: row.labels, ...common(row) })),
    edges: rows
      .filter(row => row.kind === 'edge')
      .map(row => ({ type: row.name, from: row.source_label, to: row.target_label, ...common(row) })),
  };
}

export function toNodeResponse(row: NodeRow): NodeResponse {
  const { stub, ...node } = row;
  return { ...node, id: exact(row.id), properties: parseProperties(row.properties), ...(stub && { stub }) };
}

export function toNeighborResponse({ edge_id, type, direction, edge_properties, ...node }: NeighborRow): NeighborResponse {
  return { edge_id: exact(edge_id), type, direction, properties: parseProperties(edge_properties), node: { ...node, id: exact(node.id) } };
}
