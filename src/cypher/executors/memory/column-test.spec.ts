import { ColumnTest } from './column-test.js';

describe('ColumnTest', () => {
  it('asks once for a text that nodes of many sets of labels have, and again where it is read in another way', () => {
    const count = 4_096;
    const asked: number[] = [];
    const column = {
      codes: new Uint32Array(count).fill(2),
      numbers: new Float64Array(0),
      codeCount: 20_000,
      readsSlowly: false,
      // Nodes of every second set of labels read the texts of the column as another type.
      readings: Uint16Array.from({ length: count }, (_, set) => set % 2),
    };
    const nodeSets = Uint32Array.from({ length: count }, (_, place) => place);
    const test = new ColumnTest(nodeSets, column, null, place => asked.push(place) > 0 && place % 2 === 1);
    const held = Array.from(nodeSets, place => test.holds(place));
    expect(held).toEqual(Array.from(nodeSets, place => place % 2 === 1));
    expect(asked).toEqual([0, 1]);
  });
});
