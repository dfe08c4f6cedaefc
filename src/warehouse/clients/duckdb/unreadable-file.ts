import { type Bilingual } from '../../../text/bilingual.js';

/** By code: why a file of a folder cannot be read, in words for users. DuckDB's own text may quote paths and data. */
export const unreadableFiles = {
  outside: { zh: '它经由链接离开了目录 DUCKDB_DIR', en: 'a link leads out of the directory DUCKDB_DIR' },
  missing: { zh: '它是没有目标的链接', en: 'it is a link to nothing' },
  forbidden: { zh: '服务没有读取它的权限', en: 'the service may not read it' },
  not_a_file: { zh: '它不是普通文件', en: 'it is not a regular file' },
  damaged: { zh: '其内容不符合扩展名所示的格式', en: 'its content is not of the format that its name says' },
  cells: { zh: '单元格的个数与其他行不同', en: 'the number of cells is not that of the other lines' },
  open_quote: {
    zh: '引号没有正确结束，引号内的引号要写两次',
    en: 'a quote does not end as it should; a quote within quotes is written twice',
  },
  header_break: {
    zh: '表头里的名称含有换行，无法可靠地读取；请改名，或把文件上传到镜像',
    en: 'a name of the header has a line break and cannot be read safely; rename it, or upload the file to the mirror',
  },
  not_utf8: { zh: '不是 UTF-8 文本；请另存为 UTF-8', en: 'it is not UTF-8; save the file as UTF-8' },
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
