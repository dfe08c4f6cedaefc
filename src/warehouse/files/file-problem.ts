import { type Bilingual } from '../../text/bilingual.js';
import { SchemaError } from '../../common/errors/api-error.js';

/** The format of an uploaded file. The codes of a file's problems begin with its format. */
export type FileFormat = 'csv' | 'ndjson' | 'parquet';

export interface FilePlace {
  /** 1-based physical line of the uploaded file; for Parquet, which has no lines, the 1-based row. */
  line: number;
  /** The name of the column that has the problem, if it is in one column. */
  column?: string | undefined;
}

const names: Record<FileFormat, string> = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' };

/**
 * 422 for one broken line or row. The stable code is the format followed by `type`. `place.line` is the line of the file as an editor
 * counts it.
 */
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
