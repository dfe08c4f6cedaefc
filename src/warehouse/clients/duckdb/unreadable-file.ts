import { type Bilingual } from '../../../text/bilingual.js';
import { mostColumns } from '../require-few-columns.js';

/** By code: why a file of a folder cannot be read, in words for users. DuckDB's own text may quote paths and data. */
export const unreadableFiles = {
  outside: { zh: '它经由链接离开了目录 DUCKDB_DIR', en: 'a link leads out of the directory DUCKDB_DIR' },
  missing: { zh: '它是没有目标的链接', en: 'it is a link to nothing' },
  forbidden: { zh: '服务没有读取它的权限', en: 'the service may not read it' },
  not_a_file: { zh: '它不是普通文件', en: 'it is not a regular file' },
  damaged: { zh: '其内容不符合扩展名所示的格式', en: 'its content is not of the format that its name says' },
  cells: {
    zh: '单元格的个数与表头不同：请把含有分隔符的值放进引号，删去表头之前的行，或在第一行声明分隔符，如 sep=;',
    en: 'the number of cells is not that of the header: put a value that has the separator in quotes, delete lines before the header, or declare the separator in the first line, such as sep=;',
  },
  columns: { zh: `超过 ${mostColumns} 列；请分成几个文件`, en: `it has more than ${mostColumns} columns; split it` },
  empty: { zh: '没有表头；请在第一行写上列名', en: 'it has no header; write the names of the columns in its first line' },
  header_break: {
    zh: '表头里的名称含有换行；请改名',
    en: 'a name of the header has a line break; rename it',
  },
  line_end: {
    zh: '引号之外出现了单独的回车符；请用 LF 或 CRLF 换行，或给这个值加引号',
    en: 'a carriage return stands alone outside quotes; end lines with LF or CRLF, or put the value in quotes',
  },
  not_utf8: {
    zh: '不是 UTF-8 文本；请另存为 UTF-8',
    en: 'it is not UTF-8; save the file as UTF-8',
  },
  nul: {
    zh: '含有零字节，PostgreSQL 存不下；请删去它，UTF-16 文件请另存为 UTF-8',
    en: 'it has a zero byte, which PostgreSQL cannot hold; remove it, or save a file in UTF-16 as UTF-8',
  },
  open_quote: {
    zh: '引号没有正确结束：含引号的值要整个放进引号，其中的引号要写两次',
    en: 'a quote does not end as it should: put the whole value in quotes, and write a quote within them twice',
  },
  separator: {
    zh: '“sep=”声明的分隔符无法使用；请写一个符号，如 sep=; 或删去这一行',
    en: 'the separator that "sep=" declares cannot be used; write one sign, such as sep=; or delete the line',
  },
  too_long: {
    zh: '从这里开始的记录超过 16 MiB，或表头超过 1 MiB；可能缺少结束引号，否则请把过长的值移出文件',
    en: 'the record that begins here has more than 16 MiB, or the header more than 1 MiB; add a closing quote that is missing, or keep the long value elsewhere',
  },
  twice: { zh: '同一个对象里这个键出现了两次；请改名或删去一个', en: 'one object has the key twice; rename or delete one' },
  digits: {
    zh: '小数的位数多于可保留的位数；请把它写成带引号的文本，或把文件存为 Parquet',
    en: 'a decimal has more digits than can be kept; write it as a text in quotes, or store the file as Parquet',
  },
  mixed: { zh: '对象与其他值混在一起', en: 'objects and other values stand side by side' },
  alike: {
    zh: '有两个键只有大小写不同，无法区分；请改名',
    en: 'two keys differ only in case and cannot be told apart; rename one',
  },
  not_opened: {
    zh: '列出时未打开：同一页的某个文件耗时或占用内存过多',
    en: 'it was not opened for the list: some file of this page takes too long or too much memory',
  },
} satisfies Record<string, Bilingual>;

export type UnreadableReason = keyof typeof unreadableFiles;

/** A file of a folder that cannot be read, and the place in it. */
export interface UnreadableFile {
  /** Null for the error of a statement: users who may run a statement need not be allowed to see the names of files. */
  file: string | null;
  reason: UnreadableReason;
  /** The line of the file, or the record of a JSON file, at which it cannot be read, from 1. */
  line?: number;
  record?: number;
  column?: string;
}

export function unreadableFile({ file, reason, line, record, column }: UnreadableFile): Bilingual {
  const { zh, en } = unreadableFiles[reason];
  const at = line ?? record;
  const unit = line === undefined ? { zh: '条记录', en: 'record' } : { zh: '行', en: 'line' };
  const places = [
    ...(at === undefined ? [] : [{ zh: `第 ${at} ${unit.zh}`, en: `${unit.en} ${at}` }]),
    ...(column === undefined ? [] : [{ zh: `列“${column}”`, en: `column '${column}'` }]),
  ];
  const place = { zh: places.map(each => each.zh).join('，'), en: places.map(each => each.en).join(', ') };
  const [inZh, inEn] = places.length === 0 ? ['', ''] : [`${place.zh}：`, `${place.en}: `];
  const name = file === null ? { zh: '有文件', en: 'a file' } : { zh: `文件“${file}”`, en: `the file '${file}'` };
  return { zh: `${name.zh}无法读取：${inZh}${zh}`, en: `${name.en} cannot be read: ${inEn}${en}` };
}
