import { inTurns, Pace } from '../common/turns/pace.js';
import { groupNumbers } from './grouped-numbers.js';
import { nameForm } from './name-form.js';
import { type SharedArray, sharedUint32 } from './shared-arrays.js';
import { countOf, placeOfText, sortTexts } from './sorted-texts.js';
import { StoredTextsBuilder, textAt } from './stored-texts.js';
import { TextNumbers } from './text-numbers.js';

export interface KnownValue {
  label: string;
  property: string;
  /** The value as it is stored in the graph. */
  value: string;
}

/** The most different values of a categorical property. A property with more counts as free text, and its values are left out. */
const mostValues = 2000;
const longestValue = 80;
/** The most entries that `find` returns for one text. A text with more entries is too ambiguous to name a value. */
const mostFound = 1_000;
/** Measured bytes of memory for each value while its arrays are made, in addition to its characters. */
const bytesOfValue = 100;

/** The values of categorical properties as flat arrays. An entry is one value of one property. */
export interface ValueArrays {
  valueProperties: { label: string; property: string }[];
  /** The normalised names of values in ascending order, and for each name the numbers of its entries. */
  valueUnits: Extract<SharedArray, Uint16Array>;
  valueOffsets: Extract<SharedArray, Uint32Array>;
  valueEntryOffsets: Extract<SharedArray, Uint32Array>;
  valueEntries: Extract<SharedArray, Uint32Array>;
  /** For each entry, the number of its property and the text of its value. */
  valuePropertyOf: Extract<SharedArray, Uint32Array>;
  valueTextBytes: Extract<SharedArray, Uint8Array>;
  valueTextOffsets: Extract<SharedArray, Float64Array>;
}

export class ValueDictionaryBuilder {
  private readonly properties = new Map<string, { label: string; property: string; values: Set<string>; bytes: number } | null>();
  /** Estimated bytes of memory that the values take while their arrays are made. */
  bytes = 0;

  add(label: string, property: string, value: string): void {
    const id = JSON.stringify([label, property]);
    let known = this.properties.get(id);
    if (known === null || value === '' || value.length > longestValue) return;
    if (known === undefined) this.properties.set(id, (known = { label, property, values: new Set(), bytes: 0 }));
    if (known.values.has(value)) return;
    known.values.add(value);
    const bytes = bytesOfValue + 2 * value.length;
    known.bytes += bytes;
    this.bytes += bytes;
    if (known.values.size <= mostValues) return;
    this.bytes -= known.bytes;
    this.properties.set(id, null);
  }

  async build(pace = new Pace()): Promise<ValueArrays> {
    const names = new TextNumbers();
    const [nameOf, propertyOf, texts] = [[] as number[], [] as number[], new StoredTextsBuilder()];
    const properties = [...this.properties.values()].filter(known => known !== null);
    for (const [number, { values }] of properties.entries()) {
      for (const value of values) {
        if (pace.isDue) await pace.turn();
        const name = nameForm(value);
        if (name === '') continue;
        nameOf.push(names.numberOf(name));
        propertyOf.push(number);
        texts.add(value);
      }
    }
    const { texts: sorted, placeOf } = await sortTexts(names, pace);
    const entries = await groupNumbers(
      countOf(sorted),
      nameOf.length,
      i => placeOf[nameOf[i]!]!,
      i => i,
      pace,
    );
    const valuePropertyOf = sharedUint32(propertyOf.length);
    valuePropertyOf.set(propertyOf);
    const { textBytes, textOffsets } = await inTurns(texts.build(), pace);
    return {
      valueProperties: properties.map(({ label, property }) => ({ label, property })),
      valueUnits: sorted.units,
      valueOffsets: sorted.offsets,
      valueEntryOffsets: entries.offsets,
      valueEntries: entries.numbers,
      valuePropertyOf,
      valueTextBytes: textBytes,
      valueTextOffsets: textOffsets,
    };
  }
}

/** Looks up values of categorical properties (country, status, …), so that a question can name a value without naming its property. */
export class ValueDictionary {
  constructor(private readonly arrays: ValueArrays) {}

  /**
   * Finds the entries whose value equals this text. Case, marks, spaces, punctuation and traditional characters make no difference. The
   * list is empty if there are more than 1,000 entries.
   */
  find(text: string): KnownValue[] {
    const a = this.arrays;
    const name = nameForm(text);
    const place = name === '' ? -1 : placeOfText({ units: a.valueUnits, offsets: a.valueOffsets }, name);
    if (place < 0 || a.valueEntryOffsets[place + 1]! - a.valueEntryOffsets[place]! > mostFound) return [];
    const texts = { textBytes: a.valueTextBytes, textOffsets: a.valueTextOffsets };
    return Array.from(a.valueEntries.subarray(a.valueEntryOffsets[place], a.valueEntryOffsets[place + 1]), entry => ({
      ...a.valueProperties[a.valuePropertyOf[entry]!]!,
      value: textAt(texts, entry),
    }));
  }
}
