import { SchemaError } from '../../common/errors/api-error.js';
import { type Steps } from '../../text/steps.js';
import { type JsonReader } from './json-reader.js';

const LF = 10;
const SPACE = 32;
/** Bit mask: the bytes of a document are copied with a pause after every 64 KB. */
const bytesOfStep = 0xffff;

/** Why the keys of a document cannot be kept: an object has a key twice, or there are too many keys to find that out. */
export type KeyFault = 'twice' | 'too_many';

export const tooManyKeys = {
  zh: '文档过深或键过多，无法检查有无重复的键；类型 json 或 text 的列可保留原文',
  en: 'the document is too deep, or has too many keys to find one that is there twice; a column of the type json or text keeps it',
};

/**
 * Reads the JSON in `bytes[start, end)`, a field of a file. A text that is no object and no list has no keys, so it is not read. Null if
 * the keys are kept, and for a text that is not JSON, which PostgreSQL itself refuses.
 * @param reader is used for one document after the other, because a new one takes 9 KB
 * @param escape the sign that stands before itself in the field: the quote in quoted fields of CSV, and the backslash in those of COPY,
 *   where it also stands before the letters of white space; null for none
 */
export function* keyFault(
  reader: JsonReader,
  bytes: Uint8Array,
  start: number,
  end: number,
  escape: number | null,
): Steps<KeyFault | null> {
  const json = Buffer.allocUnsafe(end - start + 1);
  let size = 0;
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!;
    if (byte === escape && bytes[++at] !== escape) byte = SPACE;
    // The reader ends at a line feed. JSON has line feeds between its signs only, where a blank means the same.
    json[size++] = byte === LF ? SPACE : byte;
    if ((size & bytesOfStep) === 0) yield;
  }
  json[size] = LF;
  reader.open(json.subarray(0, size + 1));
  const from = reader.skipSpace(0);
  if (!reader.isNested(from)) return null;
  try {
    yield* reader.nested(from);
    return null;
  } catch (error) {
    const [problem] = error instanceof SchemaError ? error.problems : [];
    if (!problem) throw error;
    if (['ndjson_syntax', 'ndjson_nul', 'ndjson_surrogate'].includes(problem.type)) return null;
    return problem.type === 'ndjson_repeated_key' ? 'twice' : 'too_many';
  }
}
