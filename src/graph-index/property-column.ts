import { createHash } from 'node:crypto';
import { sharedFloat64, sharedUint32 } from './shared-arrays.js';
import { type StoredTexts, StoredTextsBuilder, textBytesAt } from './stored-texts.js';
import { fewAtOnce, inBlocks } from './in-blocks.js';
import { type Steps } from '../text/steps.js';

/** The code of an element without the property, and of one whose value is the number in `numbers`. Others are 2 + the text's number. */
const [missing, inNumbers, firstText] = [0, 1, 2];
/** A column with more different texts keeps equal ones more than once. */
const mostDifferentTexts = 100_000;
const longestKey = 256;

/**
 * One property of all nodes, or of all edges, by place. Integers and floats stand in an array of numbers; every other value is the number
 * of its JSON text, and equal texts are kept once.
 */
export interface PropertyColumn extends StoredTexts {
  codes: Uint32Array<SharedArrayBuffer>;
  /** Empty if no value is a number. */
  numbers: Float64Array<SharedArrayBuffer>;
}

/** How a label or type reads the numbers of a property. `null` means that its values are texts to be read by their type. */
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

  /** @param json the value as JSON text */
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

  /** Takes over the values of an earlier version. `runs` tell where places that stay together begin there and here, and how many they are. */
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

/** A long text is known by its digest, so that it is not held once more. */
function keyOf(text: string): string {
  return text.length <= longestKey ? text : createHash('sha256').update(text).digest('base64');
}

/** The value at a place: undefined without one, a number, or the number of a text. */
export function cellAt({ codes, numbers }: PropertyColumn, place: number): undefined | { number: number } | { text: number } {
  const code = codes[place]!;
  if (code === missing) return undefined;
  return code === inNumbers ? { number: numbers[place]! } : { text: code - firstText };
}

/** The codes of a column are below it. */
export function codeCountOf({ textOffsets }: PropertyColumn): number {
  return firstText + textOffsets.length - 1;
}
