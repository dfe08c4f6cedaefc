import { type FileFormat } from '../../files/file-problem.js';
import { type FileTold, toldByForm, toldByHead } from './file-format.js';
import { headBytes, requireFormat } from './other-files.js';
import { gunzip, type GzipBounds } from './gunzip.js';
import { resume, takeHead } from '../../files/head.js';
import { type FormFile, readFormFile } from './multipart.js';

export interface OpenedFile {
  format: FileFormat;
  bytes: AsyncIterable<Buffer>;
  /** Releases the request, even if `bytes` was never read. */
  close: () => Promise<unknown>;
}

/**
 * Unwraps the file of a request, and finds its format: from the request if it names one, otherwise from the file's first bytes.
 * @throws SchemaError, JsonDocumentError; reading `bytes` throws SchemaError too
 */
export async function openFile(
  received: AsyncIterable<Buffer>,
  { format, formType, isGzip }: FileTold,
  bounds: GzipBounds,
): Promise<OpenedFile> {
  const file: { told: FormFile | null } = { told: null };
  const wrapped = formType === null ? received : readFormFile(received, formType, told => (file.told = told));
  const chunks = gunzip(wrapped, isGzip && formType === null, bounds)[Symbol.asyncIterator]();
  try {
    const head = await takeHead(chunks, headBytes);
    const begin = Buffer.concat(head);
    const told = (file.told ? toldByForm(file.told) : format) ?? toldByHead(begin);
    requireFormat(begin, told);
    return { format: told, bytes: resume(head, 0, chunks), close: () => chunks.return() };
  } catch (error) {
    await chunks.return();
    throw error;
  }
}
