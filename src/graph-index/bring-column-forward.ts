import { type Steps } from '../text/steps.js';
import { fewAtOnce, inBlocks } from './in-blocks.js';
import { type Moves, runsOf } from './moves.js';
import { type NumberKind, type PropertyColumn, PropertyColumnBuilder } from './property-column.js';
import { sharedUint32 } from './shared-arrays.js';
import { type StoredTexts, StoredTextsBuilder, textBytesAt } from './stored-texts.js';

/** The values of changed elements as JSON texts, by their place. */
export type ChangedValues = ReadonlyMap<number, string>;

/** Makes the column of a version from that of an earlier one, and leaves out texts that nothing has any more. */
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

/** Elements whose texts are numbered by place, where the first text is that of elements without any. */
export interface NumberedTexts extends StoredTexts {
  texts: Uint32Array<SharedArrayBuffer>;
}

/** Likewise for texts that are kept once for each element. */
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
