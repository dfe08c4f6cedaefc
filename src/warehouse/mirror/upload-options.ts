import { ApiError, type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { type FileTold, toldByType } from './body/file-format.js';
import { type FileFormat } from '../files/file-problem.js';
import { type CsvEncoding } from '../files/csv-encoding.js';
import { checkColumnNames } from '../files/csv-header.js';
import { dateForm, type FieldRewrite } from '../files/field-rewrite.js';
import { type CsvFormat } from './csv/load-csv.js';
import { numberForm } from './csv/number-form.js';
import { delimiters } from '../files/sniff-delimiter.js';

/** The query parameters of an upload as unchecked text. */
export interface UploadQueryText {
  mode?: string;
  types?: string;
  delimiter?: string;
  encoding?: string;
  header?: string;
  columns?: string;
  rename?: string;
  empty?: string;
  null?: string;
  key?: string;
}

export interface UploadOptions {
  body: FileTold;
  mode: 'replace' | 'append' | 'upsert';
  /** The key columns of an upsert, which identify a row; empty for other modes. */
  key: string[];
  /** By column name: the rewrite of values from a spelling that PostgreSQL does not read. */
  rewrites: Map<string, FieldRewrite>;
  csv: CsvFormat;
  /** Whether column names that a table cannot have are replaced. */
  renames: boolean;
  /** The text that stands for NULL; null if the option is not given. */
  nullMarker: string | null;
  /** The options of the request that have an effect for only some file formats. */
  special: (keyof typeof effective)[];
  /** Whether a file without rows may replace a table that has rows. */
  empties: boolean;
  /** By column name: the PostgreSQL type that the caller gave. */
  types: Map<string, string>;
}

// This table and the next are Maps because clients write the keys: a plain object also has the key `constructor`.
const delimiterNames = new Map<string, number>(
  delimiters.flatMap(({ byte, name }) => [
    [String.fromCharCode(byte), byte],
    [name, byte],
  ]),
);

const encodingNames = new Map<string, CsvEncoding>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['gb18030', 'gb18030'],
  ['gbk', 'gb18030'],
  ['gb2312', 'gb18030'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['iso-8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
]);
const encodingChoices = 'utf-8, gb18030, windows-1252, latin1';

/** Spellings of a type in `?types=`, and the PostgreSQL type of each. */
const typeNames: Record<string, string> = {
  text: 'text',
  string: 'text',
  varchar: 'text',
  int: 'integer',
  integer: 'integer',
  smallint: 'smallint',
  bigint: 'bigint',
  numeric: 'numeric',
  decimal: 'numeric',
  float: 'double precision',
  double: 'double precision',
  'double precision': 'double precision',
  real: 'real',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  datetime: 'timestamp',
  timestamptz: 'timestamptz',
  json: 'json',
  jsonb: 'jsonb',
  uuid: 'uuid',
  'text[]': 'text[]',
  'string[]': 'text[]',
  'int[]': 'integer[]',
  'integer[]': 'integer[]',
};

const typeChoices = [...new Set(Object.values(typeNames)), 'numeric(12,2)'].join(', ');

/** By option: the file formats for which the option has an effect. Options that are missing here have an effect for every format. */
const effective = {
  delimiter: ['csv'],
  encoding: ['csv'],
  header: ['csv'],
  columns: ['csv'],
  null: ['csv', 'ndjson'],
} satisfies Record<string, FileFormat[]>;
const modes = ['replace', 'append', 'upsert'];
const contentCodings = ['identity', 'gzip', 'x-gzip'];
const longestNullMarker = 100;
/**
 * Maximum number of key columns, the same as for an index of PostgreSQL. A join by a thousand columns takes PostgreSQL's planner minutes.
 */
const mostKeyColumns = 32;

/**
 * Reads the options of an upload from its query string and Content-Type.
 * @throws SchemaError listing every wrong option; the errors of `toldByType` for a Content-Type or encoding that uploads do not accept
 */
export function readUploadOptions(query: UploadQueryText, contentType?: string, contentEncoding?: string): UploadOptions {
  const problems: FieldProblem[] = [];
  const refuse = (name: string, type: string, zh: string, en: string): void => {
    problems.push({ loc: ['query', name], text: { zh, en }, type });
  };

  const told = toldByType(contentType);
  const charset = readCharset(contentType);
  if (charset === 'unknown') {
    problems.push({
      loc: ['header', 'content-type'],
      text: { zh: `charset 应为其一：${encodingChoices}`, en: `charset must be one of ${encodingChoices}` },
      type: 'csv_encoding',
    });
  }
  const coding = contentEncoding?.trim().toLowerCase() ?? 'identity';
  if (!contentCodings.includes(coding)) {
    problems.push({
      loc: ['header', 'content-encoding'],
      text: { zh: '请上传未压缩的或 gzip 压缩的文件', en: 'send the file uncompressed or as gzip' },
      type: 'not_one_of',
    });
  }
  const mode = query.mode ?? 'replace';
  if (!modes.includes(mode)) refuse('mode', 'not_one_of', `应为其一：${modes.join('、')}`, `must be one of ${modes.join(', ')}`);
  const key = [...new Set(namesIn(query.key ?? ''))].filter(name => name !== '');
  if (mode === 'upsert' && key.length === 0) {
    refuse('key', 'missing', 'mode=upsert 需要主键列，如 key=id', 'mode=upsert needs the key columns, such as key=id');
  }
  if (key.length > mostKeyColumns) {
    refuse('key', 'too_long', `主键至多 ${mostKeyColumns} 列`, `a key has at most ${mostKeyColumns} columns`);
  }
  if (mode !== 'upsert' && query.key !== undefined) {
    refuse('key', 'no_effect', '仅在 mode=upsert 时有效', 'has an effect only with mode=upsert');
  }
  const delimiter = query.delimiter === undefined ? null : delimiterNames.get(query.delimiter);
  if (delimiter === undefined) {
    refuse('delimiter', 'not_one_of', '应为 , ; tab 或 |', 'must be one of , ; tab |');
  }
  const asked = query.encoding === undefined ? undefined : encodingNames.get(query.encoding.toLowerCase());
  if (query.encoding !== undefined && !asked) {
    refuse('encoding', 'not_one_of', `应为其一：${encodingChoices}`, `must be one of ${encodingChoices}`);
  }
  const header = query.header ?? 'true';
  if (header !== 'true' && header !== 'false') refuse('header', 'not_one_of', '应为 true 或 false', 'must be true or false');
  if (query.columns !== undefined && query.header === undefined) {
    refuse(
      'columns',
      'header_missing',
      '请写明 header：false 表示文件没有表头，true 表示以这些列名代替表头',
      'say header=false if the file has no header, or header=true to put these names in the place of its header',
    );
  }
  const rename = query.rename ?? 'false';
  if (rename !== 'true' && rename !== 'false') refuse('rename', 'not_one_of', '应为 true 或 false', 'must be true or false');
  if (rename === 'true' && (query.columns !== undefined || header === 'false')) {
    refuse('rename', 'no_effect', '列名由 columns 给出，因此无效', 'has no effect where columns gives the names');
  }
  const empty = query.empty ?? 'false';
  if (empty !== 'true' && empty !== 'false') refuse('empty', 'not_one_of', '应为 true 或 false', 'must be true or false');
  if (empty === 'true' && mode !== 'replace') {
    refuse('empty', 'no_effect', '仅在 mode=replace 时有效', 'has an effect only with mode=replace');
  }
  const nullMarker = query.null ?? '';
  if (!isNullMarker(nullMarker, delimiter ?? null)) {
    refuse('null', 'null_marker', '不能含有分隔符、引号或换行', 'may hold no delimiter, quote or line break, and at most 100 bytes');
  }
  const { types, rewrites, unknown, repeated } = readTypes(query.types ?? '');
  for (const item of unknown)
    refuse(
      'types',
      'column_type',
      `无法识别“${item}”；请写 列名:类型，如 code:text、day:date(DD/MM/YYYY) 或 price:decimal(.,)；类型有 ${typeChoices}`,
      `cannot read "${item}"; write column:type, such as code:text, day:date(DD/MM/YYYY) or price:decimal(.,); the types are ${typeChoices}`,
    );
  for (const name of repeated) refuse('types', 'duplicate_column', `列“${name}”写了两次`, `the column "${name}" is given twice`);
  if (problems.length > 0) throw new SchemaError(problems);

  const hasHeader = header === 'true';
  const columns = hasHeader && query.columns === undefined ? null : readColumns(query.columns);
  const renames = rename === 'true';
  return {
    body: { ...told, isGzip: coding.endsWith('gzip') },
    mode: mode as UploadOptions['mode'],
    key,
    types,
    rewrites,
    nullMarker: query.null ?? null,
    renames,
    empties: empty === 'true',
    special: (Object.keys(effective) as (keyof typeof effective)[]).filter(name => query[name] !== undefined),
    csv: {
      delimiter: delimiter ?? null,
      nullMarker,
      columns,
      hasHeader,
      renames,
      encoding: { asked, charset: charset === 'unknown' ? undefined : charset },
    },
  };
}

function readColumns(text: string | undefined): string[] {
  if (text === undefined) {
    throw new ApiError(400, 'columns_required', {
      zh: '没有表头的文件要用 ?columns=a,b,c 给出列名',
      en: 'A file without header needs its column names: ?columns=a,b,c',
    });
  }
  const names = namesIn(text);
  checkColumnNames(names, index => ['query', 'columns', index]);
  return names;
}

function readCharset(contentType = ''): CsvEncoding | 'unknown' | undefined {
  const [, ...parameters] = contentType.split(';').map(part => part.trim());
  const charset = parameters.find(parameter => /^charset=/i.test(parameter))?.slice('charset='.length);
  if (charset === undefined) return undefined;
  return encodingNames.get(charset.replaceAll('"', '').toLowerCase()) ?? 'unknown';
}

/** @throws SchemaError listing the given options that have no effect for the format */
export function requireEffect(format: FileFormat, { special, csv }: UploadOptions): void {
  const problems: FieldProblem[] = special
    .filter(name => !(effective[name] as FileFormat[]).includes(format))
    .map(name => ({
      loc: ['query', name],
      text: { zh: `对 ${format} 文件无效`, en: `has no effect for a file of the format ${format}` },
      type: 'no_effect',
    }));
  if (format === 'ndjson' && (csv.encoding.charset ?? 'utf-8') !== 'utf-8') {
    const text = { zh: 'NDJSON 总是 UTF-8 编码', en: 'NDJSON is always UTF-8' };
    problems.push({ loc: ['header', 'content-type'], text, type: 'no_effect' });
  }
  if (problems.length > 0) throw new SchemaError(problems);
}

/**
 * Returns whether a text can be the marker for NULL. It must not contain the delimiter. If `delimiter` is null, it is found in the file
 * later, so the text must contain none of the possible delimiters.
 */
function isNullMarker(marker: string, delimiter: number | null): boolean {
  const cuts = delimiter === null ? delimiters.map(({ byte }) => byte) : [delimiter];
  if (/["\r\n\0]/.test(marker) || Buffer.byteLength(marker) > longestNullMarker) return false;
  return !cuts.some(byte => marker.includes(String.fromCharCode(byte)));
}

/** Puts a sign that no name has in the place of each comma of the names in quotes, such as `"a,b"`, and halves their doubled quotes. */
function withoutCommas(text: string, end: ':' | ','): string {
  const quoted = new RegExp(`(^|,)\\s*"((?:[^"]|"")*)"\\s*(?=${end}|$)`, 'g');
  return text.replace(quoted, (_, cut: string, name: string) => `${cut}"${name.replaceAll(',', '\0').replaceAll('""', '"')}"`);
}

function unquoted(name: string): string {
  const trimmed = name.trim();
  return /^"[^]*"$/.test(trimmed) && trimmed.length > 1 ? trimmed.slice(1, -1).replaceAll('\0', ',') : trimmed;
}

/** The names in a text such as `a,"b,c"`. */
function namesIn(text: string): string[] {
  return withoutCommas(text, ',').split(',').map(unquoted); // prettier-ignore
}

/**
 * Splits the text of `?types=` at commas, but not at commas inside the parentheses of a type, as in `numeric(12,2)`. An unclosed
 * parenthesis ends at the next piece with a colon, which names another column.
 */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  let isOpen = false;
  for (const piece of text.split(',')) {
    const colon = piece.lastIndexOf(':');
    if (isOpen && colon === -1) {
      items.push(`${items.pop()},${piece}`);
      isOpen = !piece.includes(')');
    } else {
      items.push(piece);
      isOpen = colon !== -1 && piece.includes('(', colon) && !piece.includes(')', colon);
    }
  }
  return items;
}

/** Reads `code:text,"a,b":numeric(12,2)`. Commas inside parentheses belong to the type; the last colon ends the name. */
function readTypes(text: string): {
  types: Map<string, string>;
  rewrites: Map<string, FieldRewrite>;
  unknown: string[];
  repeated: string[];
} {
  const types = new Map<string, string>();
  const rewrites = new Map<string, FieldRewrite>();
  const unknown: string[] = [];
  const repeated: string[] = [];
  for (const item of itemsOf(withoutCommas(text, ':'))) {
    if (item.trim() === '') continue;
    const colon = item.lastIndexOf(':');
    const written = item.slice(colon + 1).trim();
    const [, kind = '', form = ''] = /^(date|decimal|numeric)\((.*)\)$/i.exec(written) ?? [];
    const rewrite = kind.toLowerCase() === 'date' ? dateForm(form) : numberForm(form);
    const type = colon === -1 ? null : rewrite ? (rewrite.decimalSign ? 'numeric' : 'date') : readType(written);
    const name = unquoted(item.slice(0, colon));
    if (types.has(name)) repeated.push(name.slice(0, 100));
    if (rewrite) rewrites.set(name, rewrite);
    if (type) types.set(name, type);
    else unknown.push(item.trim().slice(0, 100));
  }
  return { types, rewrites, unknown, repeated };
}

function readType(text: string): string | null {
  const spelled = text.trim().toLowerCase();
  const scaled = /^(?:numeric|decimal)\((\d{1,4})(?:,\s*(\d{1,4}))?\)$/.exec(spelled);
  if (!scaled) return Object.hasOwn(typeNames, spelled) ? typeNames[spelled]! : null;
  const precision = Number(scaled[1]);
  const scale = Number(scaled[2] ?? 0);
  return precision >= 1 && precision <= 1000 && scale <= precision ? `numeric(${precision},${scale})` : null;
}
