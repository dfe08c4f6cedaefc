import fc from 'fast-check';
import { atOnce } from '../text/steps.js';
import { cellAt, PropertyColumnBuilder } from './property-column.js';
import { buildPropertyIndex, placesWith } from './property-index.js';
import { textAt } from './stored-texts.js';

const value = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom('a', '客户', '', '1', 'x'.repeat(100)),
  fc.boolean(),
  fc.array(fc.integer(), { maxLength: 2 }),
);

describe('a column of properties', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(fc.array(value), fc.constantFrom('integer' as const, 'float' as const, null), (values, kind) => {
        const builder = new PropertyColumnBuilder(values.length);
        values.forEach((each, place) => each !== undefined && builder.set(place, JSON.stringify(each), kind));
        const column = atOnce(builder.build());
        values.forEach((each, place) => {
          const cell = cellAt(column, place);
          const read = cell && ('number' in cell ? cell.number : (JSON.parse(textAt(column, cell.text)) as unknown));
          // JSON has no minus zero.
          expect(read).toEqual(each === null ? undefined : each === 0 ? 0 : each);
        });
      }),
    );
  });

  it('keeps integers beyond 2^53 and other digits that a float would lose as texts', () => {
    const builder = new PropertyColumnBuilder(4);
    ['9007199254740993', '1.10', '1e3', '7'].forEach((json, place) => builder.set(place, json, 'integer'));
    const column = atOnce(builder.build());
    expect([0, 1, 2, 3].map(place => cellAt(column, place))).toEqual([{ text: 0 }, { text: 1 }, { text: 2 }, { number: 7 }]);
    expect(textAt(column, 0)).toBe('9007199254740993');
  });

  it('is indexed by numbers and strings, whichever way they are kept', () => {
    fc.assert(
      fc.property(fc.array(value), fc.constantFrom('integer' as const, 'float' as const, null), (values, kind) => {
        const builder = new PropertyColumnBuilder(values.length);
        values.forEach((each, place) => each !== undefined && builder.set(place, JSON.stringify(each), kind));
        const index = atOnce(buildPropertyIndex(atOnce(builder.build())));
        values.forEach((each, place) => {
          if (typeof each === 'number' || typeof each === 'string') expect(placesWith(index, each, values.length)).toContain(place);
        });
      }),
    );
  });

  it('gives no places where too many hold the value', () => {
    const builder = new PropertyColumnBuilder(5);
    ['1', '1', '1', '2', '"1"'].forEach((json, place) => builder.set(place, json, 'integer'));
    const index = atOnce(buildPropertyIndex(atOnce(builder.build())));
    expect(placesWith(index, 1, 2)).toBeNull();
    expect(placesWith(index, 2, 5)).toContain(3);
  });
});
