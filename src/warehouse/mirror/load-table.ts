import { type Bilingual } from '../../text/bilingual.js';
import { type CopyTarget } from './copy/copy-target.js';
import { type FileFormat } from '../files/file-problem.js';
import { loadCsv } from './csv/load-csv.js';
import { loadNdjson } from './ndjson/load-ndjson.js';
import { type ParquetLoader } from './parquet/parquet-loader.js';
import { type RenamedColumn } from './rename-columns.js';
import { type UploadOptions } from './upload-options.js';

/** The result of loading a file: its content, and the way in which it was read. */
export interface LoadedTable {
  format: FileFormat;
  rows: number;
  columns: { name: string; type: string }[];
  /** The delimiter of a CSV file as a byte; null for other formats. */
  delimiter: number | null;
  encoding: string | null;
  isEncodingGuessed: boolean;
  warnings: Bilingual[];
  /** The columns whose names in the table differ from those in the file. */
  renamed: RenamedColumn[];
}

/** Loads a file into the target. @throws the errors of the loader for the file's format */
export async function loadTable(
  { format, bytes, caller }: { format: FileFormat; bytes: AsyncIterable<Buffer>; caller: number },
  { csv, nullMarker, renames }: UploadOptions,
  target: CopyTarget,
  parquet: ParquetLoader,
): Promise<LoadedTable> {
  const unsaid = { format, delimiter: null, encoding: 'utf-8', isEncodingGuessed: false, warnings: [], renamed: [] };
  switch (format) {
    case 'csv':
      return { ...unsaid, ...(await loadCsv(bytes, csv, target)) };
    case 'ndjson':
      return { ...unsaid, ...(await loadNdjson(bytes, { nullMarker, renames }, target)) };
    case 'parquet':
      return { ...unsaid, encoding: null, ...(await parquet.load(caller, bytes, renames, target)) };
    default:
      return format satisfies never;
  }
}
