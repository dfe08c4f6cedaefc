import { type Steps } from '../text/steps.js';
import { fewAtOnce, inBlocks } from './in-blocks.js';
import { type Moves, runsOf } from './moves.js';
import { type NumberKind, type PropertyColumn, PropertyColumnBuilder } from './property-column.js';
import { sharedUint32 } from './shared-arrays.js';
import { type StoredTexts, StoredTextsBuilder, textBytesAt } from './stored-texts.js';

/** For each changed element, by its place in the new version: the new value as JSON text. */
export type ChangedValues = ReadonlyMap<number, string>;

/** Makes the column of a version from the column of an earlier version. Texts that no element has any more are left out. */
export function* bringColumnForward(
  before: PropertyColumn,
  moves: Moves,
  values: ChangedValues,
  kindOf: (place: number) => NumberKind,
): Steps<PropertyColumn> {
  const builder = new PropertyColumnBuilder(moves.after);
  yield* builder.keep(before, runsOf(moves));
  let set = 0;
  for (const [place, json] of values) {
    builder.set(place, json, kindOf(place));
    if (++set % fewAtOnce === 0) yield;
  }
  return yield* builder.build();
}

/** The number of each element's text, by place. Text 0 belongs to all elements without properties. */
export interface NumberedTexts extends StoredTexts {
  texts: Uint32Array<SharedArrayBuffer>;
}

/** Makes the numbered texts of a version from those of an earlier version. Each element that has properties keeps a text of its own. */
export function* bringTextsForward(before: NumberedTexts, moves: Moves, values: ChangedValues): Steps<NumberedTexts> {
  const texts = sharedUint32(moves.after);
  const builder = new StoredTextsBuilder();
  builder.addBytes(textBytesAt(before, 0));
  for (const [from, to, length] of runsOf(moves)) {
    yield* inBlocks(length, (first, last) => {
      for (let i = first; i < last; i++) {
        const text = before.texts[from + i]!;
        if (text !== 0) texts[to + i] = builder.addBytes(textBytesAt(before, text));
      }
    }, fewAtOnce); // prettier-ignore
  }
  let set = 0;
  for (const [place, json] of values) {
    texts[place] = builder.add(json);
    if (++set % fewAtOnce === 0) yield;
  }
  return { texts, ...(yield* builder.build()) };
}
