import { type Bilingual } from '../../../text/bilingual.js';

/** A place below the operator's directory: a database file, or a folder of files. */
export interface DuckdbPlace {
  /** The names of the folders on the path, then the name of the file or folder itself. */
  path: string[];
  isFolder: boolean;
}

const form: Bilingual = {
  zh: '应为 duckdb:///sales.duckdb（数据库文件）或 duckdb:///folder/（文件夹，以 / 结尾）的形式，路径相对于运维设置的 DUCKDB_DIR',
  en: 'must have the form duckdb:///sales.duckdb (a database file) or duckdb:///folder/ (a folder, with / at its end), below the DUCKDB_DIR of the operator',
};
const name: Bilingual = {
  zh: '路径中的名称不能以点开头，也不能含有 * ? [ ] : \\ 或控制字符',
  en: 'no name in the path may begin with a dot or have any of * ? [ ] : \\ or control characters',
};

/** Whether a name is safe in a path. Other names would leave the folder, match several files, or mean a drive or stream on Windows. */
export function isPlainName(text: string): boolean {
  return text !== '' && text.length <= 255 && !/^\.|[*?[\]:\\/]|\p{Cc}|\p{Cs}/u.test(text);
}

/** Parses a DSN. @returns its place, or the reason why the DSN is not valid */
export function readDuckdbDsn(dsn: string): DuckdbPlace | Bilingual {
  const [, encoded] = /^duckdb:\/\/\/([^?#]+)$/i.exec(dsn) ?? [];
  if (encoded === undefined) return form;
  const isFolder = encoded.endsWith('/');
  try {
    const path = encoded.replace(/\/$/, '').split('/').map(decodeURIComponent);
    return path.every(isPlainName) ? { path, isFolder } : name;
  } catch {
    return form;
  }
}

/** Reads a DSN that has been checked before. @throws Error for a DSN with a problem */
export function knownDuckdbDsn(dsn: string): DuckdbPlace {
  const place = readDuckdbDsn(dsn);
  if ('zh' in place) throw new Error('A DSN of this connection was not checked');
  return place;
}
