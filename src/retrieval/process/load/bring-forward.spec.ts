import { type Topology } from '../../../graph-index/topology.js';
import { readAlike } from './bring-forward.js';
import { kindsByName } from './load-properties.js';

describe('how the numbers of a property are read', () => {
  const kindsOf = (types: string[], kinds: ('integer' | 'float')[]) =>
    kindsByName({ types, labelSets: [] as string[][] } as Topology, 'edges', kinds);

  it('is compared by the name of a type, since loads of one version number types otherwise', () => {
    const before = kindsOf(['R', 'S'], ['integer', 'float']);
    expect(readAlike(before, kindsOf(['S', 'R'], ['float', 'integer']))).toBe(true);
    expect(readAlike(before, kindsOf(['S', 'R'], ['integer', 'float']))).toBe(false);
    expect(readAlike(before, kindsOf(['constructor'], ['float']))).toBe(true);
  });
});
