import { createHash } from 'node:crypto';
import { fitsIdentifier, longestIdentifierBytes } from '../../sql/quote-identifier.js';
import { type Bilingual } from '../../text/bilingual.js';
import { nameProblem } from '../files/csv-header.js';

/** A column whose name in the table differs from its name in the file. */
export interface RenamedColumn {
  /** The name in the file. A name of more than 1,000 characters is cut off. */
  from: string;
  to: string;
}

/** The end of an error message about a name that a table cannot have: how to load the column nevertheless. */
export const renameHint: Bilingual = {
  zh: '用 ?rename=true 可换名导入，应答会列出新旧列名',
  en: 'with ?rename=true such columns are loaded under other names, which the answer lists',
};

/** Maximum number of characters of a name that are shown: a key of NDJSON may have 64 KB. */
const longestShown = 1000;
/** Characters of the longest number of a name, with its underscore: a table has at most 1,600 columns. */
const longestNumber = 5;
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * Gives the columns of a file names that a table can have: 1 to 63 bytes of UTF-8, no control characters, and no name twice. A valid name
 * stays as it is.
 * A long name is cut between two characters and gets eight digits of its SHA-256, so that it gets the same name in every file. A blank name
 * becomes `column_` and its position. A repeated name gets a number, so it depends on the other columns of its header. In NDJSON every
 * replaced name gets the digits instead.
 */
export class ColumnNames {
  readonly renamed: RenamedColumn[] = [];
  private readonly taken = new Set<string>();
  /** The last number that was added, by the part of the new name that no number shortens. */
  private readonly numbers = new Map<string, number>();

  /** Names all columns of a file, in their order. Valid names are taken first, so that no made name takes one of them. */
  ofAll(names: readonly string[]): string[] {
    const fitting = names.map(name => this.takes(name));
    return names.map((name, index) => (fitting[index] ? name : this.made(name, String(index + 1))));
  }

  /**
   * Names one further key of an NDJSON file, whose keys appear one by one in any order. A made name always has the digits of its key, so
   * that it depends on no other key.
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
    // Names with the same beginning are cut to the same name, so they share one count.
    const key = cut(base, longestIdentifierBytes - mark.length - longestNumber) + mark;
    let to = cut(base, longestIdentifierBytes - mark.length) + mark;
    for (let number = this.numbers.get(key) ?? 1; !this.takes(to); this.numbers.set(key, number)) {
      const ending = `${mark}_${++number}`;
      to = cut(base, longestIdentifierBytes - ending.length) + ending;
    }
    this.renamed.push(renamed(from, to));
    return to;
  }
}

export function renamed(from: string, to: string): RenamedColumn {
  return { from: from.length > longestShown ? `${from.slice(0, longestShown).toWellFormed()}…` : from, to };
}

function digest(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 8);
}

/** The beginning of a text: at most `bytes` bytes of UTF-8, cut between two characters. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = bytes;
  while ((encoded[end]! & 0xc0) === 0x80) end--;
  return encoded.toString('utf8', 0, end);
}
