import { createHash } from 'node:crypto';
import { sharedFloat64, sharedUint32 } from './shared-arrays.js';
import { type StoredTexts, StoredTextsBuilder, textBytesAt } from './stored-texts.js';
import { fewAtOnce, inBlocks } from './in-blocks.js';
import { type Steps } from '../text/steps.js';

/** Codes of an element: 0 if it does not have the property, 1 if its value is in `numbers`, and otherwise 2 + the number of its text. */
const [missing, inNumbers, firstText] = [0, 1, 2];
/** The most different texts of a column that are recognised. Further texts are kept once for each element, even if they are equal. */
const mostDifferentTexts = 100_000;
const longestKey = 256;

/**
 * One property of all nodes, or of all edges, by place. Integers and floats are in an array of numbers. Every other value is kept as a JSON
 * text, which the code of the element refers to; equal texts are kept once.
 */
export interface PropertyColumn extends StoredTexts {
  codes: Uint32Array<SharedArrayBuffer>;
  /** The number values by place; empty if no value is a number. */
  numbers: Float64Array<SharedArrayBuffer>;
}

/**
 * How a label or edge type reads the numbers of a property. `null`: its values are kept as texts, which are read by the property's type.
 */
export type NumberKind = 'integer' | 'float' | null;

const integerText = /^-?(?:0|[1-9]\d{0,15})$/;

export class PropertyColumnBuilder {
  private readonly codes: Uint32Array<SharedArrayBuffer>;
  private numbers: Float64Array<SharedArrayBuffer> | null = null;
  private readonly texts = new StoredTextsBuilder();
  private readonly known = new Map<string, number>();

  constructor(private readonly count: number) {
    this.codes = sharedUint32(count);
  }

  get bytes(): number {
    return this.codes.byteLength + (this.numbers?.byteLength ?? 0) + this.texts.bytes;
  }

  /** Sets the value of the element at `place`. @param json the value as JSON text */
  set(place: number, json: string, kind: NumberKind): void {
    if (json === 'null') return;
    const number = kind === null || (kind === 'integer' && !integerText.test(json)) ? NaN : Number(json);
    if (Number.isFinite(number) && (kind === 'float' || Number.isSafeInteger(number))) {
      this.numbers ??= sharedFloat64(this.count);
      this.numbers[place] = number;
      this.codes[place] = inNumbers;
      return;
    }
    this.codes[place] = firstText + this.numberOf(json);
  }

  /**
   * Copies unchanged values from the column of an earlier version. `runs` lists runs of places that stay together: where each begins in the
   * earlier version, where it begins in this version, and its length.
   */
  *keep(before: PropertyColumn, runs: Iterable<[from: number, to: number, length: number]>): Steps<void> {
    if (before.numbers.length > 0) this.numbers ??= sharedFloat64(this.count);
    const numberNow = new Uint32Array(codeCountOf(before));
    for (const [from, to, length] of runs) {
      if (this.numbers) this.numbers.set(before.numbers.subarray(from, from + length), to);
      yield* inBlocks(length, (first, last) => {
        for (let i = first; i < last; i++) {
          const code = before.codes[from + i]!;
          if (code < firstText) this.codes[to + i] = code;
          else this.codes[to + i] = numberNow[code] ||= firstText + this.keepText(textBytesAt(before, code - firstText));
        }
      }, fewAtOnce); // prettier-ignore
    }
  }

  *build(): Steps<PropertyColumn> {
    return { codes: this.codes, numbers: this.numbers ?? sharedFloat64(0), ...(yield* this.texts.build()) };
  }

  private keepText(bytes: Buffer): number {
    const number = this.texts.addBytes(bytes);
    if (this.known.size < mostDifferentTexts) this.known.set(keyOf(bytes.toString('utf8')), number);
    return number;
  }

  private numberOf(json: string): number {
    const key = keyOf(json);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const number = this.texts.add(json);
    if (this.known.size < mostDifferentTexts) this.known.set(key, number);
    return number;
  }
}

/** The key of a text in `known`. A long text is represented by its digest, so that the text is not held a second time. */
function keyOf(text: string): string {
  return text.length <= longestKey ? text : createHash('sha256').update(text).digest('base64');
}

/** The value at a place: undefined if the element does not have the property, a number, or the number of a text. */
export function cellAt({ codes, numbers }: PropertyColumn, place: number): undefined | { number: number } | { text: number } {
  const code = codes[place]!;
  if (code === missing) return undefined;
  return code === inNumbers ? { number: numbers[place]! } : { text: code - firstText };
}

/** The number of possible codes of a column: all its codes are less than this number. */
export function codeCountOf({ textOffsets }: PropertyColumn): number {
  return firstText + textOffsets.length - 1;
}
