import { UnsupportedMediaTypeError } from '../../../common/errors/common-errors.js';
import { JsonDocumentError } from '../../warehouse.errors.js';
import { type FileFormat } from '../../files/file-problem.js';
import { type FormFile } from './multipart.js';
import { parquetHead } from './other-files.js';

/** How the uploaded file is wrapped, and the format that the request names; null for none. Gzip is also recognized by its first bytes. */
export interface FileTold {
  isGzip: boolean;
  formType: string | null;
  format: FileFormat | null;
}

type Told = FileFormat | 'json' | null;

/**
 * The file format by media type. Null for media types that curl and browsers send for any file: the file name in the form, or the first
 * bytes of the file, then decide.
 */
const types = new Map<string, Told>([
  ['text/csv', 'csv'],
  ['application/csv', 'csv'],
  ['text/plain', 'csv'],
  ['text/tab-separated-values', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/json', 'json'],
  ['application/octet-stream', null],
  ['application/gzip', null],
  ['application/x-gzip', null],
  ['multipart/form-data', null],
]);
const endings = new Map<string, Told>([
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['txt', 'csv'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['parquet', 'parquet'],
  ['json', 'json'],
]);
export const takenTypes = 'text/csv, application/x-ndjson, application/vnd.apache.parquet';

/** @throws JsonDocumentError, UnsupportedMediaTypeError */
export function toldByType(contentType: string | undefined): Pick<FileTold, 'formType' | 'format'> {
  if (contentType === undefined) return { formType: null, format: null };
  const type = mediaType(contentType);
  const told = types.get(type);
  if (told === undefined) throw new UnsupportedMediaTypeError(takenTypes);
  return { formType: type === 'multipart/form-data' ? contentType : null, format: notJson(told) };
}

/** @throws JsonDocumentError */
export function toldByForm({ name, type }: FormFile): FileFormat | null {
  const ending = name.toLowerCase().replace(/\.gz$/, '').split('.').at(-1)!;
  return notJson(endings.get(ending) ?? types.get(mediaType(type)) ?? null);
}

/**
 * Detects the format from the first bytes of a file, for a request that names no format. A CSV file cannot begin with a brace and a quote.
 */
export function toldByHead(head: Buffer): FileFormat {
  const begin = head.toString('latin1');
  if (parquetHead.test(begin)) return 'parquet';
  return /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"/.test(begin) ? 'ndjson' : 'csv';
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}

function notJson(told: Told): FileFormat | null {
  if (told === 'json') throw new JsonDocumentError();
  return told;
}
