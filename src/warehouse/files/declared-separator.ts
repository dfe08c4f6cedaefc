import { type SchemaError } from '../../common/errors/api-error.js';
import { csvProblem } from './csv-problem.js';

const LF = 10;
/** A line that declares a separator ends within this many bytes. */
const longestLine = 64;
/** Characters that cannot separate fields: letters, digits, signs of numbers, quotes and backslashes. */
const unusable = /[\p{L}\p{N}"\\.+-]/u;

/** Matches the line without its line end. Programs that save the file again repeat the separator up to the number of columns. */
const declaration = /^"?sep=(?:(\\t|.)\1*)?"?$/iu;

export interface DeclaredSeparator {
  delimiter: number;
  /** Bytes of the line with its end. */
  consumed: number;
}

/**
 * Reads the line `sep=;`, with which Excel lets a CSV file declare its separator: the line is neither header nor row. Null if the file does
 * not begin with such a line, undefined if more bytes are needed to decide.
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
