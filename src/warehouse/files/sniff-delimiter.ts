const LF = 10;
const CR = 13;
const QUOTE = 34;

/** The delimiters that can be recognized, the likeliest first, with their names for query strings. */
export const delimiters = [
  { byte: 44, name: 'comma' },
  { byte: 59, name: 'semicolon' },
  { byte: 9, name: 'tab' },
  { byte: 124, name: 'pipe' },
] as const;

const sampleRecords = 20;

/**
 * Finds the delimiter of a file: the one that cuts each of the first records into the same number of fields, at least two. If several
 * delimiters do, the one with the most fields is taken. If none does, the one that occurs most often in the first record is taken, and the
 * comma if none occurs. Null while `bytes` hold no whole record.
 * @param columns the number of fields of a record, if it is known
 */
export function sniffDelimiter(bytes: Uint8Array, final: boolean, columns?: number): number | null {
  let best: { byte: number; isEven: boolean; fields: number } | null = null;
  for (const { byte } of delimiters) {
    const counts = countFields(bytes, byte, final);
    const [fields] = counts;
    if (fields === undefined) continue;
    const isEven = fields > 1 && counts.every(count => count === (columns ?? fields));
    if (best === null || (isEven && !best.isEven) || (isEven === best.isEven && fields > best.fields)) best = { byte, isEven, fields };
  }
  return best?.byte ?? (final ? delimiters[0].byte : null);
}

/**
 * The number of fields of each of the first whole records, if `delimiter` separates them. A quote anywhere hides the text up to the next
 * quote. With the right delimiter a readable file has its quotes at the ends of fields, and a wrong delimiter is thus not found inside
 * quoted text.
 */
function countFields(bytes: Uint8Array, delimiter: number, final: boolean): number[] {
  const counts: number[] = [];
  let fields = 1;
  let isQuoted = false;
  let recordStart = 0;
  for (let at = 0; at < bytes.length && counts.length < sampleRecords; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (byte === delimiter) fields++;
    if (byte !== LF) continue;
    const isBlank = at === recordStart || (at === recordStart + 1 && bytes[recordStart] === CR);
    if (!isBlank) counts.push(fields);
    fields = 1;
    recordStart = at + 1;
  }
  if (final && counts.length === 0 && recordStart < bytes.length) counts.push(fields);
  return counts;
}
