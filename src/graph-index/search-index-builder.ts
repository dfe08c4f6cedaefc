import { Pace } from '../common/turns/pace.js';
import { buildGrams } from './gram-index.js';
import { groupNumbers } from './grouped-numbers.js';
import { BlockedUint32, GrowableFloat64, GrowableUint32 } from './growable-array.js';
import { nameOfNormalized } from './name-form.js';
import { readingsOf } from './pinyin.js';
import { fieldBits, fieldFlags, type SearchArrays } from './search-arrays.js';
import { sharedFloat64, sharedUint32, sharedUint8 } from './shared-arrays.js';
import { countOf, lengthAt, sortedTextAt, type SortedTexts, sortTexts } from './sorted-texts.js';
import { allowedEdits } from './spelling.js';
import { TextNumbers } from './text-numbers.js';
import { normalizeText, termsOfText } from './tokenize-text.js';

/** One node to index. `texts` are its string properties other than display and key. */
export interface IndexedNode {
  id: number;
  /** The key's label first, then the other labels. Nodes with the same labels must list them in the same order. */
  labels: string[];
  key: string;
  display: string;
  texts: string[];
}

/** The most characters of a property's text that are searched. */
export const longestText = 1000;
const longestDisplay = 255;
const [firstLetter, lastLetter] = [97, 122];
const none = 0xffffffff;

/** Collects nodes one by one and builds the arrays of a search index. */
export class SearchIndexBuilder {
  private readonly terms = new TextNumbers();
  private readonly names = new TextNumbers();
  private readonly lastNode = new BlockedUint32();
  private readonly lastPosting = new BlockedUint32();
  private readonly postingTerm = new BlockedUint32();
  private readonly postingValue = new BlockedUint32();
  private readonly ids = new GrowableFloat64();
  private readonly labelOf = new GrowableUint32();
  private readonly displayLength = new GrowableUint32();
  private readonly displayOf = new GrowableUint32();
  private readonly keyOf = new GrowableUint32();
  private readonly labelSets: string[][] = [];
  private readonly labelIds = new Map<string, number>();

  add(node: IndexedNode): void {
    const ordinal = this.ids.push(node.id);
    this.labelOf.push(this.labelId(node.labels));
    const [display, key] = [normalizeText(node.display), normalizeText(node.key)];
    const displayTerms = termsOfText(display);
    this.displayLength.push(Math.min(longestDisplay, displayTerms.length));
    this.addTerms(ordinal, displayTerms, fieldFlags.display);
    this.addTerms(ordinal, termsOfText(key), fieldFlags.key);
    for (const text of node.texts) this.addTerms(ordinal, termsOfText(normalizeText(text.slice(0, longestText))), fieldFlags.text);
    this.displayOf.push(this.names.numberOf(nameOfNormalized(display)));
    this.keyOf.push(this.names.numberOf(nameOfNormalized(key)));
  }

  /** Estimated bytes of the finished index. While the index is built, the process holds some three times as much. */
  get bytes(): number {
    return (
      (this.terms.length + this.names.length) * 8 +
      (this.terms.size + this.names.size) * 12 +
      this.postingTerm.length * 4 +
      this.ids.length * 33
    );
  }

  async build(pace = new Pace()): Promise<SearchArrays> {
    const count = this.ids.length;
    const { texts: terms, placeOf: placeOfTerm } = await sortTexts(this.terms, pace);
    const { postingTerm, postingValue } = this;
    const postings = await groupNumbers(
      countOf(terms),
      postingTerm.length,
      i => placeOfTerm[postingTerm.get(i)]!,
      i => postingValue.get(i),
      pace,
    );
    const { texts: names, placeOf: placeOfName } = await sortTexts(this.names, pace);
    const [displays, keys] = [this.displayOf.view(), this.keyOf.view()];
    const nodes = await groupNumbers(
      countOf(names),
      2 * count,
      i => placeOfName[i < count ? displays[i]! : keys[i - count]!]!,
      i => (i < count ? 2 * i : 2 * (i - count) + 1),
      pace,
    );
    const isDisplay = (name: number): boolean => (nodes.numbers[nodes.offsets[name]!]! & 1) === 0 && lengthAt(names, name) > 0;
    const nameGrams = await buildGrams(names, isDisplay, pace);
    const wordGrams = await buildGrams(terms, place => isSpelled(terms, place), pace);
    const pinyin = await readAll(names, isDisplay, pace);
    const [displayOf, labelOf] = [sharedUint32(count), sharedUint32(count)];
    const [ids, displayLength] = [sharedFloat64(count), sharedUint8(count)];
    ids.set(this.ids.view());
    labelOf.set(this.labelOf.view());
    displayLength.set(this.displayLength.view());
    let length = 0;
    for (let i = 0; i < count; i++) {
      if (pace.isDue) await pace.turn();
      displayOf[i] = placeOfName[displays[i]!]!;
      length += displayLength[i]!;
    }
    return {
      ids,
      labelSets: this.labelSets,
      labelOf,
      displayOf,
      displayLength,
      averageLength: Math.max(1, length / Math.max(1, count)),
      nameUnits: names.units,
      nameOffsets: names.offsets,
      nameNodeOffsets: nodes.offsets,
      nameNodes: nodes.numbers,
      nameGramOffsets: nameGrams.offsets,
      nameGrams: nameGrams.numbers,
      termUnits: terms.units,
      termOffsets: terms.offsets,
      postingOffsets: postings.offsets,
      postings: postings.numbers,
      wordGramOffsets: wordGrams.offsets,
      wordGrams: wordGrams.numbers,
      pinyinUnits: pinyin.texts.units,
      pinyinOffsets: pinyin.texts.offsets,
      pinyinNameOffsets: pinyin.names.offsets,
      pinyinNames: pinyin.names.numbers,
    };
  }

  private labelId(labels: string[]): number {
    const name = labels.length === 1 ? labels[0]! : JSON.stringify(labels);
    let id = this.labelIds.get(name);
    if (id === undefined) {
      id = this.labelSets.push(labels) - 1;
      this.labelIds.set(name, id);
    }
    return id;
  }

  private addTerms(ordinal: number, texts: string[], field: number): void {
    for (const text of texts) {
      const term = this.terms.numberOf(text);
      if (term === this.lastNode.length) {
        this.lastNode.push(none);
        this.lastPosting.push(0);
      }
      if (this.lastNode.get(term) === ordinal) {
        const at = this.lastPosting.get(term);
        this.postingValue.set(at, this.postingValue.get(at) | field);
        continue;
      }
      this.lastNode.set(term, ordinal);
      this.lastPosting.set(term, this.postingTerm.push(term));
      this.postingValue.push(((ordinal << fieldBits) | field) >>> 0);
    }
  }
}

/** Whether a term is a word to which a misspelled search word may be corrected: it is long enough and has a Latin letter. */
function isSpelled(terms: SortedTexts, place: number): boolean {
  if (allowedEdits(lengthAt(terms, place) + 1) === 0) return false;
  for (let i = terms.offsets[place]!; i < terms.offsets[place + 1]!; i++) {
    const unit = terms.units[i]!;
    if (unit >= firstLetter && unit <= lastLetter) return true;
  }
  return false;
}

/** All pinyin readings of Chinese names, in order, and for each reading the names that have it. */
async function readAll(names: SortedTexts, isIn: (name: number) => boolean, pace: Pace) {
  const readings = new TextNumbers();
  const [readingOf, nameOf] = [new BlockedUint32(), new BlockedUint32()];
  const add = (reading: string, name: number): void => {
    readingOf.push(readings.numberOf(reading));
    nameOf.push(name);
  };
  for (let name = 0; name < countOf(names); name++) {
    if (pace.isDue) await pace.turn();
    if (!isIn(name)) continue;
    const { whole, initials } = readingsOf(sortedTextAt(names, name));
    for (const reading of whole) add(reading, 2 * name);
    for (const reading of initials) add(reading, 2 * name + 1);
  }
  const { texts, placeOf } = await sortTexts(readings, pace);
  const grouped = await groupNumbers(
    countOf(texts),
    readingOf.length,
    i => placeOf[readingOf.get(i)]!,
    i => nameOf.get(i),
    pace,
  );
  return { texts, names: grouped };
}
