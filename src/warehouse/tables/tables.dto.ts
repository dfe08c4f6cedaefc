import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { type TableDescription, type TableSummary } from '../clients/warehouse.client.js';
import { joined } from '../../text/bilingual.js';
import { type LoadedTable } from '../mirror/load-table.js';
import { type UploadResult } from '../mirror/mirror-upload.service.js';
import { type DataVersion } from '../mirror/mirror-versions.js';
import { type UploadOptions, type UploadQueryText } from '../mirror/upload-options.js';

/** The query parameters of an upload. `readUploadOptions` reads them together and lists all problems. */
export class UploadQuery implements UploadQueryText {
  @ApiPropertyOptional({
    enum: ['replace', 'append', 'upsert'],
    default: 'replace',
    description:
      '替换整张表、追加，或按 key 更新已有的行并加入新行 / replace the table, add rows to it, or update the rows with the same `key` and add the others',
  })
  @IsOptional()
  @IsString()
  mode?: string;

  @ApiPropertyOptional({
    description:
      'mode=upsert 的主键列，逗号分隔；含逗号的列名加引号 / the key columns of mode=upsert, as a,b; a name with a comma in quotes',
  })
  @IsOptional()
  @IsString()
  key?: string;

  @ApiPropertyOptional({
    // Swagger UI would send an `example` with every upload, so there is none.
    description:
      "不需推断的列类型，如 phone:text,price:numeric(12,2),day:date(DD/MM/YYYY),tags:text[]；数字的写法：decimal(,) 读 1234,5，decimal(.,) 读 1.234,5，decimal(,.) 读 1,234.5，点或逗号可换成空格或 ' / column:type for columns that are not to be inferred, such as codes that look like numbers; how numbers are written: decimal(,) reads 1234,5, decimal(.,) 1.234,5, decimal(,.) 1,234.5, and a blank or an apostrophe may stand for the sign between the groups",
  })
  @IsOptional()
  @IsString()
  types?: string;

  @ApiPropertyOptional({
    enum: [',', ';', 'tab', '|', 'comma', 'semicolon', 'pipe'],
    description: '仅 CSV；默认从前几行判断 / CSV only; told from the first records unless given',
  })
  @IsOptional()
  @IsString()
  delimiter?: string;

  @ApiPropertyOptional({
    enum: ['utf-8', 'gb18030', 'windows-1252', 'latin1'],
    description:
      '仅 CSV；默认按 BOM、charset 判断，否则 UTF-8；不是 UTF-8 而像西欧文本时取 windows-1252，并在应答中说明 / CSV only; by BOM or charset, else UTF-8; windows-1252 where the text is not UTF-8 and looks Western, which the answer says',
  })
  @IsOptional()
  @IsString()
  encoding?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'true',
    description: '仅 CSV；第一行是否为列名 / CSV only; whether the first line names the columns',
  })
  @IsOptional()
  @IsString()
  header?: string;

  @ApiPropertyOptional({
    description:
      '仅 CSV；列名，逗号分隔：header=false 时用于没有表头的文件，写明 header=true 时按位置代替表头 / CSV only; names of the columns as a,b,c: of a file without header with header=false, or in the place of its header where header=true is said',
  })
  @IsOptional()
  @IsString()
  columns?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description:
      '表中不能使用的列名（空、重复、超过 63 字节、含控制字符）换名导入，应答的 renamed 列出新旧列名；同一文件总得到同样的列名 / load columns under other names where a table cannot have theirs (blank, double, longer than 63 bytes, with control characters); `renamed` in the answer lists them, and the same file always gets the same names',
  })
  @IsOptional()
  @IsString()
  rename?: string;

  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '没有数据行的文件也可替换有数据的表 / whether a file without rows may replace a table that has rows',
  })
  @IsOptional()
  @IsString()
  empty?: string;

  @ApiPropertyOptional({
    description:
      '代表空值的文本：CSV 中未加引号的，默认为空字段；NDJSON 中的字符串，默认没有 / text that stands for NULL: unquoted in CSV, instead of the empty field; a string of NDJSON, beside null',
  })
  @IsOptional()
  @IsString()
  null?: string;
}

export class UploadedColumnResponse {
  @ApiProperty({ example: 'customer_id' })
  name: string;

  @ApiProperty({ example: 'integer', description: 'PostgreSQL type, in its short spelling' })
  type: string;
}

export class TableColumnResponse {
  @ApiProperty({ example: 'customer_id' })
  name: string;

  @ApiProperty({
    example: 'integer',
    description:
      'PostgreSQL 类型；other 表示没有对应的类型，无法读取 / PostgreSQL type in its short spelling; other: no counterpart, cannot be read',
  })
  type: string;

  @ApiProperty({ example: 'integer', description: '来源数据库的写法 / As the database spells it' })
  native_type: string;

  @ApiProperty({ example: true })
  nullable: boolean;

  @ApiProperty({ type: String, nullable: true, example: '客户编号' })
  comment: string | null;
}

export class RenamedColumnResponse {
  @ApiProperty({
    example: '备注',
    description: '文件中的名称，至多显示 1000 字 / The name in the file, of which up to 1,000 characters are shown',
  })
  from: string;

  @ApiProperty({ example: '备注_2', description: '表中的名称 / The name in the table' })
  to: string;
}

export class UploadResponse {
  @ApiProperty({ example: 'customers' })
  table: string;

  @ApiProperty({ enum: ['replace', 'append', 'upsert'], example: 'replace' })
  mode: UploadOptions['mode'];

  @ApiProperty({ example: 3, description: 'Rows of this file' })
  rows: number;

  @ApiProperty({ example: 3, description: 'Rows that are new in the table' })
  inserted: number;

  @ApiProperty({ example: 0, description: 'Rows of the table that an upsert wrote over' })
  updated: number;

  @ApiProperty({ example: 96, description: 'Bytes received' })
  bytes: number;

  @ApiProperty({ type: () => [UploadedColumnResponse], description: 'The columns of this file with their types' })
  columns: UploadedColumnResponse[];

  @ApiProperty({ enum: ['csv', 'ndjson', 'parquet'], example: 'csv' })
  format: LoadedTable['format'];

  @ApiProperty({
    type: String,
    nullable: true,
    example: ',',
    description:
      '所用的分隔符；只有 CSV 有。文件首行 sep=; 可声明任一符号 / the delimiter that was taken; only CSV has one, and a first line such as sep=; may declare any sign',
  })
  delimiter: string | null;

  @ApiProperty({
    type: String,
    enum: ['utf-8', 'gb18030', 'windows-1252', 'iso-8859-1', null],
    nullable: true,
    example: 'utf-8',
    description: 'Parquet 没有 / Parquet has none',
  })
  encoding: string | null;

  @ApiProperty({
    example: false,
    description: '编码是猜测的；请核对，或用 encoding 指明 / The encoding was guessed: check the text, or say it with `encoding`',
  })
  encoding_guessed: boolean;

  @ApiProperty({
    type: [String],
    example: [],
    description:
      '应当知道之处，如类型不一的键存为文本 / Facts that you should know, such as keys with values of several types, which became text',
  })
  warnings: string[];

  @ApiProperty({
    type: () => [RenamedColumnResponse],
    description:
      '表中名称与文件不同的列，按其在文件中的顺序 / The columns whose names in the table are not those of the file, with rename=true or columns',
  })
  renamed: RenamedColumnResponse[];

  @ApiProperty({ example: 0.031 })
  seconds: number;

  @ApiProperty({ example: 42, description: '表的数据版本，每次更改都变大 / The version of the rows of the table; each change raises it' })
  data_version: number;

  @ApiProperty({ format: 'date-time', example: '2026-01-02T03:04:05.678Z' })
  changed_at: string;
}

export function toUploadResponse(table: string, mode: UploadOptions['mode'], result: UploadResult): UploadResponse {
  const { rows, inserted, updated, bytes, columns, format, delimiter, encoding, isEncodingGuessed, warnings, renamed } = result;
  const { seconds, dataVersion } = result;
  const read = {
    format,
    delimiter: delimiter === null ? null : String.fromCharCode(delimiter),
    encoding,
    encoding_guessed: isEncodingGuessed,
    warnings: warnings.map(joined),
    renamed,
  };
  return { table, mode, rows, inserted, updated, bytes, columns, ...read, seconds, ...toVersion(dataVersion) };
}

export class DropTableQuery {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '即使仍有任务、指标或复制使用该表，也删除它 / drops the table even if jobs, metrics or copies still use it',
  })
  @IsOptional()
  @Matches(/^(true|false)$/, { message: 'force must be true or false' })
  force?: string;
}

export class TableSummaryResponse {
  @ApiProperty({ example: 'customers' })
  name: string;

  @ApiProperty({ example: 120, description: 'As of the last upload or analysis' })
  row_estimate: number;

  @ApiProperty({ example: 16384, description: 'Bytes on disk' })
  bytes: number;

  @ApiProperty({ example: 4 })
  column_count: number;

  @ApiProperty({ type: String, nullable: true, example: '客户' })
  comment: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 42,
    description:
      '镜像表的数据版本，每次更改都变大，从不重复；其他连接的表为 null / The version of the rows of a mirror table: each change raises it, and none comes twice; null for tables of other connections',
  })
  data_version: number | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-01-02T03:04:05.678Z' })
  changed_at: string | null;
}

/** A table with the version of its rows. `dataVersion` is null if the service does not know it. */
export type ListedTable = TableSummary & { dataVersion: DataVersion | null };

function toVersion({ version, changedAt }: DataVersion): { data_version: number; changed_at: string } {
  return { data_version: version, changed_at: changedAt.toISOString() };
}

export function toTableSummaryResponse(table: ListedTable): TableSummaryResponse {
  return {
    name: table.name,
    row_estimate: table.rowEstimate,
    bytes: table.bytes,
    column_count: table.columnCount,
    comment: table.comment,
    ...(table.dataVersion ? toVersion(table.dataVersion) : { data_version: null, changed_at: null }),
  };
}

export class TableKeyResponse {
  @ApiProperty({ enum: ['primary', 'unique'], example: 'primary' })
  kind: 'primary' | 'unique';

  @ApiProperty({ type: [String], example: ['customer_id'] })
  columns: string[];
}

export class ForeignKeyResponse {
  @ApiProperty({ type: [String], example: ['region_id'] })
  columns: string[];

  @ApiProperty({ example: 'regions' })
  table: string;

  @ApiProperty({ type: [String], example: ['region_id'] })
  references: string[];
}

export class TableResponse extends TableSummaryResponse {
  @ApiProperty({ type: () => [TableColumnResponse] })
  columns: TableColumnResponse[];

  @ApiProperty({ type: () => [TableKeyResponse], description: 'Declared keys; tables that were uploaded have none' })
  keys: TableKeyResponse[];

  @ApiProperty({ type: () => [ForeignKeyResponse] })
  foreign_keys: ForeignKeyResponse[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ customer_id: 'C00001', company_name: '上海贸易公司', country: '中国', region_id: 1 }],
    description: 'Up to five rows; bigint and numeric values as text',
  })
  sample: Record<string, unknown>[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '没有样例行的原因，如样例过大或无权读取 / Why no rows are shown: they are too large, or may not be read',
  })
  sample_note: string | null;
}

export interface TableDetail extends TableDescription {
  table: ListedTable;
  sample: unknown[][];
  sampleNote: string | null;
}

export function toTableResponse({ table, columns, keys, foreignKeys, sample, sampleNote }: TableDetail): TableResponse {
  return {
    ...toTableSummaryResponse(table),
    columns: columns.map(({ name, type, nativeType, nullable, comment }) => ({ name, type, native_type: nativeType, nullable, comment })),
    keys: keys.map(key => ({ kind: key.primary ? 'primary' : 'unique', columns: key.columns })),
    foreign_keys: foreignKeys,
    sample: sample.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
    sample_note: sampleNote,
  };
}
