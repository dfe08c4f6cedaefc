import { type Steps } from '../../text/steps.js';
import { type JsonReader } from './json-reader.js';

const LF = 10;
const SPACE = 32;
const QUOTE = 34;
/** Bit mask: the bytes of a document are copied with a pause after every 64 KB. */
const bytesOfStep = 0xffff;

/**
 * Reads the JSON in `bytes[start, end)`, a field of a CSV file. A text that is no object and no list has no keys, so it is not read.
 * @param reader is used for one document after the other, because a new one takes 9 KB
 * @param isQuoted whether the quotes of the text are doubled
 * @throws SchemaError for an object that has a key twice, and for other texts that lines of NDJSON cannot have either
 */
export function* requireKeysOnce(reader: JsonReader, bytes: Uint8Array, start: number, end: number, isQuoted: boolean): Steps<void> {
  const json = Buffer.allocUnsafe(end - start + 1);
  let size = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (isQuoted && byte === QUOTE) at++;
    // The reader ends at a line feed. JSON has line feeds between its signs only, where a blank means the same.
    json[size++] = byte === LF ? SPACE : byte;
    if ((at & bytesOfStep) === 0) yield;
  }
  json[size] = LF;
  reader.open(json.subarray(0, size + 1));
  const from = reader.skipSpace(0);
  if (reader.isNested(from)) yield* reader.nested(from);
}
