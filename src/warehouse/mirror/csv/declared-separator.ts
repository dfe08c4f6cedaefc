import { type SchemaError } from '../../../common/errors/api-error.js';
import { csvProblem } from './csv-problem.js';

const LF = 10;
/** Bytes within which a line that declares a separator ends. */
const longestLine = 64;
/** Letters, digits and signs of numbers separate no fields, and a quote encloses them. */
const unusable = /[\p{L}\p{N}"\\.+-]/u;

/** The line without its end. Programs that write the file anew pad it to the number of columns. */
const declaration = /^"?sep=(?:(\\t|.)\1*)?"?$/iu;

export interface DeclaredSeparator {
  delimiter: number;
  /** Bytes of the line with its end. */
  consumed: number;
}

/**
 * Reads the line `sep=;` that Excel takes at the beginning of a CSV file: it declares the separator and is neither header nor row. Null if
 * the file does not begin with such a line, undefined while `bytes` are too few to tell.
 * @throws SchemaError for a separator that the service cannot read
 */
export function readSeparator(bytes: Buffer, final: boolean): DeclaredSeparator | null | undefined {
  const feed = bytes.subarray(0, longestLine).indexOf(LF);
  if (feed === -1) return final || bytes.length >= longestLine ? null : undefined;
  const line = bytes.toString('utf8', 0, feed).replace(/\r$/, '');
  const declared = declaration.exec(line) ?? declaration.exec(line.trimEnd());
  if (!declared) return null;
  const sign = declared[1] ?? '';
  const separator = sign === '\\t' ? '\t' : sign;
  if (Buffer.byteLength(separator) !== 1 || unusable.test(separator) || (separator < ' ' && separator !== '\t'))
    throw unusableSeparator(separator);
  return { delimiter: separator.charCodeAt(0), consumed: feed + 1 };
}

function unusableSeparator(separator: string): SchemaError {
  return csvProblem(
    'separator',
    { line: 1 },
    {
      zh: `“sep=${separator}”声明的分隔符无法使用；请写一个符号，如 sep=; 或删去这一行`,
      en: `the separator that "sep=${separator}" declares cannot be used; write one sign, such as sep=; or delete the line`,
    },
  );
}
