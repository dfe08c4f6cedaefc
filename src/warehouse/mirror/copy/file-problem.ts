import { type Bilingual } from '../../../text/bilingual.js';
import { SchemaError } from '../../../common/errors/api-error.js';

/** The format of an uploaded file. The codes of its problems begin with it. */
export type FileFormat = 'csv' | 'ndjson' | 'parquet';

export interface FilePlace {
  /** 1-based physical line of the uploaded file; the row of a format without lines. */
  line: number;
  /** The name of the column, if the fault is in one. */
  column?: string | undefined;
}

const names: Record<FileFormat, string> = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' };

/** 422 for one broken line or row. `type` follows the format in the stable code, `line` is the line of the file as an editor counts it. */
export function fileProblem(format: FileFormat, type: string, place: FilePlace, { zh, en }: Bilingual): SchemaError {
  const column = place.column === undefined ? [] : [place.column];
  const isText = format !== 'parquet';
  const text = { zh: `第 ${place.line} 行：${zh}`, en: `${isText ? 'line' : 'row'} ${place.line}: ${en}` };
  const line = isText ? { line: place.line } : {};
  return new SchemaError([{ loc: ['body', place.line, ...column], text, type: `${format}_${type}`, ...line }], {
    zh: `${names[format]} 文件有错误，未导入任何数据`,
    en: `The ${names[format]} file is broken; nothing was loaded`,
  });
}
