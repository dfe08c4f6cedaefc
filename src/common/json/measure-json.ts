const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

export interface JsonMeasure {
  /** The deepest nesting of brackets. */
  depth: number;
  /** The number of lists, maps and fields of maps. */
  parts: number;
  /** The number of commas between elements and fields. */
  commas: number;
}

/**
 * Limits on the JSON of another service or database. Answers of a fixed form, such as a query plan, stay below them. `JSON.parse` takes
 * some milliseconds for an answer at these limits.
 */
const mostOfServices: JsonMeasure = { depth: 200, parts: 50_000, commas: 50_000 };

/**
 * Parses the JSON that another service sent. A text that consists only of brackets takes `JSON.parse` a second for each megabyte, so a text
 * with too many levels or parts is refused.
 * @throws SyntaxError
 */
export function parseForeignJson(text: string): unknown {
  const { depth, parts, commas } = measureJson(Buffer.from(text), mostOfServices);
  if (depth > mostOfServices.depth || parts > mostOfServices.parts || commas > mostOfServices.commas)
    throw new SyntaxError('The JSON has too many levels or parts');
  return JSON.parse(text);
}

/**
 * Measures a JSON text without parsing it, in one pass over its UTF-8 bytes, which need not be decoded. Stops as soon as a limit is passed.
 * The result is meaningless for a text that is not JSON.
 */
export function measureJson(json: Uint8Array, limits: JsonMeasure): JsonMeasure {
  let depth = 0;
  const measure = { depth: 0, parts: 0, commas: 0 };
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index];
    if (inString) {
      if (byte === backslash) index++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      measure.parts++;
      if (++depth > measure.depth) measure.depth = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === colon) measure.parts++;
    else if (byte === comma) measure.commas++;
    else continue;
    if (measure.depth > limits.depth || measure.parts > limits.parts || measure.commas > limits.commas) return measure;
  }
  return measure;
}
