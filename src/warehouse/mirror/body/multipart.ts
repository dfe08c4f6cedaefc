import busboy from 'busboy';
import { type Readable } from 'node:stream';
import { SchemaError } from '../../../common/errors/api-error.js';
import { type Bilingual } from '../../../text/bilingual.js';
import { passThrough } from './pass-through.js';

const limits = { files: 2, fields: 1, parts: 3, fieldNameSize: 200, fieldSize: 1024, headerPairs: 50 };

/** Name and media type of the file in a form. */
export interface FormFile {
  name: string;
  type: string;
}

/**
 * Yields the bytes of the one file in a `multipart/form-data` body.
 * @param told called before the first bytes, with the name and type of the file
 * @throws SchemaError for a body that is broken, or that contains anything but one file
 */
export async function* readFormFile(
  source: AsyncIterable<Buffer>,
  contentType: string,
  told?: (file: FormFile) => void,
): AsyncGenerator<Buffer, void> {
  let parser: ReturnType<typeof busboy>;
  try {
    parser = busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw problem(['header', 'content-type'], { zh: 'multipart 缺少 boundary', en: 'the multipart body names no boundary' });
  }
  const found: { file: Readable | null } = { file: null };
  parser.on('file', (_name, file, { encoding, filename = '', mimeType }) => {
    // A file that is cut off also fails the parser, which reports the error.
    file.on('error', () => undefined);
    if (found.file) return parser.destroy(notOneFile());
    if (/base64|quoted-printable/i.test(encoding)) return parser.destroy(encoded());
    found.file = file;
    told?.({ name: filename, type: mimeType });
  });
  parser.on('field', () => parser.destroy(notOneFile()));
  // Beyond a limit the parser silently drops parts, which may include a second file.
  parser.on('partsLimit', () => parser.destroy(notOneFile()));
  try {
    yield* passThrough(source, parser, () => found.file);
  } catch (error) {
    // Errors with a code come from the stream of the request body; errors of the parser have none.
    if (error instanceof SchemaError || !(error instanceof Error) || error.constructor !== Error || 'code' in error) throw error;
    throw problem(['body'], { zh: 'multipart 数据不完整或格式有误', en: 'the multipart body is cut off or malformed' });
  }
  if (!found.file) throw notOneFile();
}

function notOneFile(): SchemaError {
  return problem(['body'], {
    zh: '表单须恰好包含一个文件；其他选项请写在查询串里',
    en: 'the form must hold exactly one file; options belong in the query string',
  });
}

function encoded(): SchemaError {
  return problem(['body'], {
    zh: '请不要用 Content-Transfer-Encoding 编码文件，直接发送其字节',
    en: 'the file is encoded by a Content-Transfer-Encoding; send its bytes as they are',
  });
}

function problem(loc: string[], text: Bilingual): SchemaError {
  return new SchemaError([{ loc, text, type: 'multipart' }]);
}
