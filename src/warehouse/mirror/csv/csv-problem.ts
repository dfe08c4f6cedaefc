import { type Bilingual } from '../../../text/bilingual.js';
import { SchemaError } from '../../../common/errors/api-error.js';

export interface CsvPlace {
  /** 1-based physical line of the uploaded file. */
  line: number;
  /** The name of the column, if the fault is in one. */
  column?: string | undefined;
}

/** 422 for one broken line. `type` is the stable code, `line` the line of the file as an editor counts it. */
export function csvProblem(type: string, place: CsvPlace, { zh, en }: Bilingual): SchemaError {
  const column = place.column === undefined ? [] : [place.column];
  const text = { zh: `第 ${place.line} 行：${zh}`, en: `line ${place.line}: ${en}` };
  return new SchemaError([{ loc: ['body', place.line, ...column], text, type, line: place.line }], {
    zh: 'CSV 文件有错误，未导入任何数据',
    en: 'The CSV file is broken; nothing was loaded',
  });
}
