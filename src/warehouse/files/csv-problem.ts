import { type Bilingual } from '../../text/bilingual.js';
import { type SchemaError } from '../../common/errors/api-error.js';
import { fileProblem, type FilePlace } from './file-problem.js';

export function csvProblem(type: string, place: FilePlace, text: Bilingual): SchemaError {
  return fileProblem('csv', type, place, text);
}

export function bareCarriageReturn(place: FilePlace): SchemaError {
  return csvProblem('bare_carriage_return', place, {
    zh: '引号之外出现了单独的回车符；请用 LF 或 CRLF 换行',
    en: 'a carriage return stands alone outside quotes; end lines with LF or CRLF',
  });
}

export function nulByte(place: FilePlace): SchemaError {
  return csvProblem('nul', place, {
    zh: '这一行含有 NUL 字节；UTF-16 文件请另存为 UTF-8',
    en: 'the line holds a NUL byte; save a file of UTF-16 as UTF-8',
  });
}

export function strayQuote(place: FilePlace): SchemaError {
  return csvProblem('stray_quote', place, {
    zh: '未加引号的字段里出现了引号；请把整个字段放进引号，并把其中的引号写两遍',
    en: 'a quote stands inside an unquoted field; quote the whole field and double the quotes in it',
  });
}

export function textAfterQuote(place: FilePlace): SchemaError {
  return csvProblem('text_after_quote', place, {
    zh: '结束引号之后还有内容；字段里的引号要写两遍',
    en: 'something follows the closing quote; quotes inside a field are doubled',
  });
}

export function unterminatedQuote(place: FilePlace): SchemaError {
  return csvProblem('unterminated_quote', place, {
    zh: '这里开始的引号直到文件结束都没有关闭',
    en: 'the quote that opens here is never closed',
  });
}

export function wrongFieldCount(place: FilePlace, found: number, wanted: number): SchemaError {
  return csvProblem('field_count', place, {
    zh: `这一行有 ${found} 个字段，应有 ${wanted} 个；含分隔符的字段要加引号，其他分隔符请用 ?delimiter=（, ; tab 或 |）说明，标题行和注释行请删去`,
    en: `the line has ${found} field(s) where ${wanted} are expected; quote fields that hold the delimiter, name another delimiter by ?delimiter= (, ; tab or |), and leave out lines of titles and comments`,
  });
}
