import { SchemaError } from '../../../common/errors/api-error.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { type FileFormat } from '../../files/file-problem.js';

const asCsv = { zh: '请另存为 CSV（UTF-8）再上传', en: 'save it as CSV (UTF-8) and upload that' };
const unpacked = { zh: '请上传其中的 CSV 文件，或只用 gzip 压缩', en: 'upload the CSV file in it, or compress that with gzip' };

interface OtherFile extends Bilingual {
  /** Matches the first bytes of the files, with one character for each byte. */
  head: RegExp;
  wayOut: Bilingual;
  /** The formats as which the file may be sent after all. */
  taken?: FileFormat;
  type?: string;
}

/** The bytes of a file that its format is told from. */
export const headBytes = 1024;

/** The first bytes of a Parquet file, and a control byte of the header of its first page. */
export const parquetHead = /^PAR1[\x00-\x08\x0e-\x1f]/;

/** Files that are not tables of text. Most of them would be read as a CSV file with a strange header. */
const others: readonly OtherFile[] = [
  { head: /^PK(?:\x03\x04|\x05\x06)/, zh: ' Excel 工作簿或 ZIP 文件', en: 'an Excel workbook or a ZIP file', wayOut: asCsv, type: 'zip' },
  { head: /^\xd0\xcf\x11\xe0/, zh: '旧式 Excel 工作簿（.xls）', en: 'an old Excel workbook (.xls)', wayOut: asCsv },
  { head: /^(?:\xef\xbb\xbf)?\s*%PDF-\d\.\d/, zh: ' PDF 文件', en: 'a PDF file', wayOut: asCsv },
  { head: /^\{\\rtf/, zh: ' RTF 文件', en: 'an RTF file', wayOut: asCsv },
  {
    // A tag without the begin or end of another may be the header of a CSV file with one column.
    head: /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|[a-z][a-z0-9:]*(?:\s[^>]*)?>(?! *[,;\t|])(?:\s*<[a-z!]|[^]*<\/[a-z]))/i,
    zh: '网页或 XML 文件',
    en: 'a web page or an XML file',
    wayOut: {
      zh: '可能下载到的是登录或错误页面；请检查下载地址，或另存为 CSV（UTF-8）；若本来就是 CSV，请给第一个单元格加引号',
      en: 'perhaps the page of a login or an error was downloaded in its place; check the address, or save the table as CSV (UTF-8); if it is CSV, put the first cell in quotes',
    },
  },
  {
    head: /^(?:\xef\xbb\xbf)?\s*\[[\s[]*"/,
    zh: ' JSON 列表',
    en: 'JSON lists',
    wayOut: {
      zh: "请用 jq -r @csv 文件.json 把每个列表写成一行 CSV 再上传（若一个列表包含所有行，用 jq -r '.[] | @csv'）",
      en: "write each list as a line of CSV by jq -r @csv file.json, or by jq -r '.[] | @csv' if one list holds all rows, and upload that",
    },
    taken: 'ndjson',
  },
  {
    head: /^(?:\xef\xbb\xbf)?\s*[[{][\s[{]*"/,
    zh: ' JSON 文件',
    en: 'a JSON file',
    wayOut: {
      zh: "请每行写一个对象（列表用 jq -c '.[]' 文件.json，单个对象用 jq -c .），以 Content-Type: application/x-ndjson 上传",
      en: "write one object a line (jq -c '.[]' file.json for a list, jq -c . for objects) and send it as Content-Type: application/x-ndjson",
    },
    taken: 'ndjson',
  },
  {
    head: parquetHead,
    zh: ' Parquet 文件',
    en: 'a Parquet file',
    wayOut: {
      zh: '请以 Content-Type: application/vnd.apache.parquet 上传',
      en: 'send it as Content-Type: application/vnd.apache.parquet',
    },
    taken: 'parquet',
  },
  { head: /^(?:\x89PNG|GIF8[79]a[^]{0,6}[\x00-\x08\x0e-\x1f]|\xff\xd8\xff)/, zh: '图片', en: 'an image', wayOut: asCsv },
  {
    head: /^\x1f\x8b/,
    zh: '压缩了两次的 gzip 文件',
    en: 'a gzip file within gzip',
    wayOut: { zh: '请用 gunzip 解压一次再上传', en: 'unpack it once with gunzip and upload that' },
  },
  { head: /^(?:7z\xbc\xaf|Rar!\x1a|BZh[1-9]1AY&SY|\xfd7zXZ|\x28\xb5\x2f\xfd)/, zh: '压缩文件', en: 'an archive', wayOut: unpacked },
  {
    head: /^SQLite format 3\0/,
    zh: ' SQLite 数据库',
    en: 'an SQLite database',
    wayOut: { zh: '请把表导出为 CSV', en: 'export its table as CSV' },
  },
];

/** @throws SchemaError for a file that begins as one of another format than `format`, with the way in which its table can be loaded */
export function requireFormat(head: Buffer, format: FileFormat): void {
  const begin = head.toString('latin1', 0, headBytes);
  const other = others.find(each => each.taken !== format && each.head.test(begin));
  if (!other) return;
  const { wayOut, type = 'other_format', zh, en } = other;
  const text = { zh: `这是${zh}；${wayOut.zh}`, en: `this is ${en}; ${wayOut.en}` };
  throw new SchemaError([{ loc: ['body'], text, type: `${format}_${type}` }]);
}
