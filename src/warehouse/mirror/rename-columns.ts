import { createHash } from 'node:crypto';
import { fitsIdentifier, longestIdentifierBytes } from '../../sql/quote-identifier.js';
import { type Bilingual } from '../../text/bilingual.js';
import { nameProblem } from './csv/csv-header.js';

/** A column whose name in the table is not that of the file. */
export interface RenamedColumn {
  /** The name in the file, of which a long one shows its beginning only. */
  from: string;
  to: string;
}

/** The way out of a name that a table cannot have, as the end of a sentence. */
export const renameHint: Bilingual = {
  zh: '用 ?rename=true 可换名导入，应答会列出新旧列名',
  en: 'with ?rename=true such columns are loaded under other names, which the answer lists',
};

/** The most characters of a name that are shown: a key of NDJSON may have 64 KB. */
const longestShown = 1000;
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * Gives the columns of a file names that a table can have: 1 to 63 bytes of UTF-8, no control characters, none twice. A fitting name stays
 * as it is. A long name keeps its beginning, cut between two characters, and gets eight digits of its SHA-256, so that it gets the same
 * name in every file. A blank name becomes `column_` and its place, and a name that comes again gets a number. So the made name of a short
 * name depends on the other columns of its header, except in NDJSON, where it always has the digits.
 */
export class ColumnNames {
  readonly renamed: RenamedColumn[] = [];
  private readonly taken = new Set<string>();
  /** By name: the last number that was given to a column of this name. */
  private readonly numbers = new Map<string, number>();

  /** The names of all columns of a file, in their order. The fitting names are taken before any other name is made. */
  ofAll(names: readonly string[]): string[] {
    const fitting = names.map(name => this.takes(name));
    return names.map((name, index) => (fitting[index] ? name : this.made(name, String(index + 1))));
  }

  /**
   * The name of a further key of a file whose keys are met one by one, in any order. A made name always has the digits of its key, so that
   * it depends on no other key.
   */
  ofNext(key: string): string {
    return this.takes(key) ? key : this.made(key, '', true);
  }

  private takes(name: string): boolean {
    if (nameProblem(name) !== null || this.taken.has(name)) return false;
    this.taken.add(name);
    return true;
  }

  private made(from: string, place: string, isMarked = false): string {
    const clean = from.toWellFormed().replace(controls, ' ').trim();
    const base = clean === '' ? `column${place === '' ? '' : `_${place}`}` : clean;
    const mark = fitsIdentifier(base) && !isMarked ? '' : `_${digest(from)}`;
    const key = base + mark;
    for (let number = (this.numbers.get(key) ?? 0) + 1; ; number++) {
      const ending = number === 1 ? mark : `${mark}_${number}`;
      const to = cut(base, longestIdentifierBytes - ending.length) + ending;
      if (!this.takes(to)) continue;
      this.numbers.set(key, number);
      this.renamed.push(renamed(from, to));
      return to;
    }
  }
}

export function renamed(from: string, to: string): RenamedColumn {
  return { from: from.length > longestShown ? `${from.slice(0, longestShown).toWellFormed()}…` : from, to };
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}

/** The beginning of a text, of at most so many bytes of UTF-8 and without half a character. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while ((encoded[end]! & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
