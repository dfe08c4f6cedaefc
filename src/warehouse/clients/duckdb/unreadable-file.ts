import { type Bilingual } from '../../../text/bilingual.js';

/** By code: why a file of a folder cannot be read, in words for users. DuckDB's own text may quote paths and data. */
export const unreadableFiles = {
  outside: { zh: '它经由链接离开了目录 DUCKDB_DIR', en: 'a link leads out of the directory DUCKDB_DIR' },
  missing: { zh: '它是没有目标的链接', en: 'it is a link to nothing' },
  forbidden: { zh: '服务没有读取它的权限', en: 'the service may not read it' },
  not_a_file: { zh: '它不是普通文件', en: 'it is not a regular file' },
  damaged: { zh: '其内容不符合扩展名所示的格式', en: 'its content is not of the format that its name says' },
  not_opened: {
    zh: '列出时未打开：同一页的某个文件耗时或占用内存过多',
    en: 'it was not opened for the list: some file of this page takes too long or too much memory',
  },
} satisfies Record<string, Bilingual>;

export type UnreadableReason = keyof typeof unreadableFiles;

export function unreadableFile(file: string, reason: UnreadableReason): Bilingual {
  const { zh, en } = unreadableFiles[reason];
  return { zh: `文件“${file}”无法读取：${zh}`, en: `the file '${file}' cannot be read: ${en}` };
}
