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

export function bareCarriageReturn(place: CsvPlace): SchemaError {
  return csvProblem('csv_bare_carriage_return', place, {
    zh: '引号之外出现了单独的回车符；请用 LF 或 CRLF 换行',
    en: 'a carriage return stands alone outside quotes; end lines with LF or CRLF',
  });
}

export function strayQuote(place: CsvPlace): SchemaError {
  return csvProblem('csv_stray_quote', place, {
    zh: '未加引号的字段里出现了引号；请把整个字段放进引号，并把其中的引号写两遍',
    en: 'a quote stands inside an unquoted field; quote the whole field and double the quotes in it',
  });
}

export function textAfterQuote(place: CsvPlace): SchemaError {
  return csvProblem('csv_text_after_quote', place, {
    zh: '结束引号之后还有内容；字段里的引号要写两遍',
    en: 'something follows the closing quote; quotes inside a field are doubled',
  });
}

export function unterminatedQuote(place: CsvPlace): SchemaError {
  return csvProblem('csv_unterminated_quote', place, {
    zh: '这里开始的引号直到文件结束都没有关闭',
    en: 'the quote that opens here is never closed',
  });
}

export function wrongFieldCount(place: CsvPlace, found: number, wanted: number): SchemaError {
  return csvProblem('csv_field_count', place, {
    zh: `这一行有 ${found} 个字段，应有 ${wanted} 个`,
    en: `the line has ${found} field(s) where ${wanted} are expected`,
  });
}
