import { ApiError, type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { UnsupportedMediaTypeError } from '../../common/errors/common-errors.js';
import { type CsvEncoding } from './csv/csv-encoding.js';
import { checkColumnNames } from './csv/csv-header.js';
import { dateForm, type FieldRewrite } from './csv/field-rewrite.js';
import { type CsvFormat } from './csv/load-csv.js';
import { delimiters } from './csv/sniff-delimiter.js';

/** The query string of an upload, as text. */
export interface UploadQueryText {
  mode?: string;
  types?: string;
  delimiter?: string;
  encoding?: string;
  header?: string;
  columns?: string;
  null?: string;
  key?: string;
}

export interface UploadOptions {
  /** How the file is wrapped. Gzip is also told from its first bytes. */
  body: { isGzip: boolean; formType: string | null };
  mode: 'replace' | 'append' | 'upsert';
  /** The columns that tell rows apart, for an upsert. */
  key: string[];
  /** Spellings of columns that PostgreSQL does not read. */
  rewrites: Map<string, FieldRewrite>;
  format: CsvFormat;
  /** PostgreSQL types by column name. */
  types: Map<string, string>;
}

// These are maps because clients write the keys, and an object also has `constructor`.
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

const csvTypes = new Set(['text/csv', 'application/csv', 'text/plain', 'text/tab-separated-values', 'application/octet-stream']);
/** Files that curl and browsers name so are told by their first bytes. */
const wrappedTypes = new Set(['application/gzip', 'application/x-gzip', 'multipart/form-data']);
const modes = ['replace', 'append', 'upsert'];
const contentCodings = ['identity', 'gzip', 'x-gzip'];
const longestNullMarker = 100;
/** As many as an index of PostgreSQL takes. Its planner needs minutes for a join by a thousand. */
const mostKeyColumns = 32;

/**
 * Reads the options of an upload from its query string and Content-Type.
 * @throws SchemaError listing every option that is wrong; UnsupportedMediaTypeError if the body is no CSV
 */
export function readUploadOptions(query: UploadQueryText, contentType?: string, contentEncoding?: string): UploadOptions {
  const problems: FieldProblem[] = [];
  const refuse = (name: string, type: string, zh: string, en: string): void => {
    problems.push({ loc: ['query', name], text: { zh, en }, type });
  };

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
      text: { zh: '请上传未压缩的或 gzip 压缩的 CSV', en: 'send the CSV uncompressed or as gzip' },
      type: 'not_one_of',
    });
  }
  const mode = query.mode ?? 'replace';
  if (!modes.includes(mode)) refuse('mode', 'not_one_of', `应为其一：${modes.join('、')}`, `must be one of ${modes.join(', ')}`);
  const key = [...new Set((query.key ?? '').split(',').map(name => name.trim()))].filter(name => name !== '');
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
  if (query.columns !== undefined && header === 'true') {
    refuse('columns', 'no_effect', '仅在 header=false 时有效', 'has an effect only with header=false');
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
      `无法识别“${item}”`,
      `cannot read "${item}"; write column:type, such as code:text or day:date(DD/MM/YYYY)`,
    );
  for (const name of repeated) refuse('types', 'duplicate_column', `列“${name}”写了两次`, `the column "${name}" is given twice`);
  if (mode !== 'replace' && [...types.keys()].some(name => !rewrites.has(name))) {
    refuse(
      'types',
      'no_effect',
      '表已有其类型，这里只能写日期形式，如 day:date(DD/MM/YYYY)',
      'the table has its types; only forms of dates have an effect here, such as day:date(DD/MM/YYYY)',
    );
  }
  if (problems.length > 0) throw new SchemaError(problems);

  const columns = header === 'false' ? readColumns(query.columns) : null;
  return {
    body: { isGzip: coding.endsWith('gzip'), formType: isForm(contentType) ? contentType! : null },
    mode: mode as UploadOptions['mode'],
    key,
    types,
    rewrites,
    format: {
      delimiter: delimiter ?? null,
      nullMarker,
      columns,
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
  const names = text.split(',').map(name => name.trim());
  checkColumnNames(names, index => ['query', 'columns', index]);
  return names;
}

function readCharset(contentType: string | undefined): CsvEncoding | 'unknown' | undefined {
  if (contentType === undefined) return undefined;
  const [type = '', ...parameters] = contentType.split(';').map(part => part.trim());
  if (wrappedTypes.has(type.toLowerCase())) return undefined;
  if (!csvTypes.has(type.toLowerCase())) throw new UnsupportedMediaTypeError('text/csv');
  const charset = parameters.find(parameter => /^charset=/i.test(parameter))?.slice('charset='.length);
  if (charset === undefined) return undefined;
  return encodingNames.get(charset.replaceAll('"', '').toLowerCase()) ?? 'unknown';
}

function isForm(contentType: string | undefined): boolean {
  return /^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');
}

/** A delimiter that is told from the file may be any of them. */
function isNullMarker(marker: string, delimiter: number | null): boolean {
  const cuts = delimiter === null ? delimiters.map(({ byte }) => byte) : [delimiter];
  if (/["\r\n\0]/.test(marker) || Buffer.byteLength(marker) > longestNullMarker) return false;
  return !cuts.some(byte => marker.includes(String.fromCharCode(byte)));
}

/** Reads `code:text,price:numeric(12,2)`. Commas inside parentheses belong to the type; the last colon ends the name. */
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
  for (const item of text.split(/,(?![^(]*\))/)) {
    if (item.trim() === '') continue;
    const colon = item.lastIndexOf(':');
    const written = item.slice(colon + 1).trim();
    const form = /^date\((.*)\)$/i.exec(written)?.[1];
    const rewrite = form === undefined ? null : dateForm(form);
    const type = colon === -1 ? null : rewrite ? 'date' : readType(written);
    const name = item.slice(0, colon).trim();
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
