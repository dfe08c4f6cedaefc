import { parseCypher } from '../syntax/parse-cypher.js';
import { propertiesRead } from './properties-read.js';

describe('the properties that a query reads', () => {
  it('are those that it names, with those that it compares with constants', () => {
    const { names, looked } = propertiesRead(parseCypher('MATCH (n {a: 1})-[r {b: 2}]->(m) WHERE m.c = 3 AND m.d > 4 RETURN n.e'));
    expect([...names!].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([...looked].sort()).toEqual(['a', 'c']);
  });

  it.each(['RETURN keys(n) AS k', 'RETURN n[$name] AS v'])('are all where the query may ask for any: %s', end => {
    expect(propertiesRead(parseCypher(`MATCH (n) ${end}`)).names).toBeNull();
  });

  it('are all where it names more than 64', () => {
    const naming = (count: number) =>
      parseCypher(`MATCH (n) RETURN ${Array.from({ length: count }, (_, i) => `n.p${i} AS c${i}`).join(', ')}`);
    expect(propertiesRead(naming(64)).names?.size).toBe(64);
    expect(propertiesRead(naming(65)).names).toBeNull();
  });
});

describe('propertiesRead', () => {
  const read = (text: string) => {
    const { names, looked } = propertiesRead(parseCypher(text));
    return { names: names && [...names].sort(), looked: [...looked].sort() };
  };

  it('tells the properties that a query asks for, wherever they stand', () => {
    expect(
      read('MATCH (a {k: 1})-[r {w: a.q}]->(b) WHERE b.x = $p AND EXISTS { (b)-->(c) WHERE c.y > 2 } RETURN b.z ORDER BY a.s'),
    ).toEqual({
      names: ['k', 'q', 's', 'w', 'x', 'y', 'z'],
      looked: ['k', 'x'],
    });
  });

  it('tells queries that can ask for any', () => {
    for (const text of ['MATCH (n) RETURN keys(n)', 'MATCH (n) RETURN properties(n)', 'MATCH (n) RETURN n[$name]'])
      expect(read(text).names).toBeNull();
    expect(read(`MATCH (n) RETURN n['k'], [1, 2][0]`).names).toEqual(['k']);
  });
});
