import { aLabel, anEdge } from '../../../test/support/graph-schema.js';
import { prepareCypher } from '../prepare-cypher.js';
import { SchemaIndex } from './schema-index.js';

describe('SchemaIndex', () => {
  const index = SchemaIndex.of({
    labels: [
      aLabel('客户', { aliases: ['Customer'], properties: [{ name: '编号', type: 'int', column: 'id' }, { name: '名称', type: 'string' }] }),
      aLabel('订单', { properties: [{ name: '编号', type: 'string', column: 'id' }, { name: '金额', type: 'float', column: 'amount' }] }),
    ],
    edges: [anEdge('下单', '客户', '订单', { properties: [{ name: '渠道', type: 'string' }] })],
  }); // prettier-ignore

  it('finds a property by its name, else by its column', () => {
    expect(index.nodeProperty('金额', ['订单'])).toMatchObject({ name: '金额', word: 'float', known: true });
    expect(index.nodeProperty('amount', ['订单'])).toMatchObject({ name: '金额', word: 'float', known: true });
    expect(index.edgeProperty('渠道', [])).toMatchObject({ name: '渠道', word: 'string', known: true });
    expect(index.nodeProperty('渠道', ['订单'])).toMatchObject({ name: '渠道', word: '', known: false });
  });

  it('gives a further label the properties of all nodes that may carry it, and no key', () => {
    const carried = SchemaIndex.of({
      labels: [
        aLabel('A', {
          keyProperties: ['x'],
          properties: [{ name: 'x', type: 'int' }],
          furtherLabels: [{ name: 'F', aliases: ['Eff'], rowCount: 1 }],
        }),
        aLabel('B', {
          keyProperties: ['y'],
          properties: [{ name: 'y', type: 'time' }],
          furtherLabels: [
            { name: 'F', aliases: [], rowCount: 1 },
            { name: 'A', aliases: [], rowCount: 1 },
          ],
        }),
      ],
      edges: [],
    });
    expect([carried.findLabel('eff'), carried.labelNames]).toEqual(['F', ['A', 'B']]);
    expect(['A', 'B', 'F'].map(name => carried.isFurtherLabel(name))).toEqual([true, false, true]);
    expect(carried.nodeProperty('x', ['F'])).toMatchObject({ name: 'x', word: 'bigint', known: true, inMemory: false });
    expect(carried.nodeProperty('y', ['A'])).toMatchObject({ name: 'y', word: 'time', known: true, inMemory: true });
    expect([carried.keyProperties('A'), carried.keyProperties('F'), carried.keyProperties('B')]).toEqual([
      null,
      null,
      [expect.objectContaining({ name: 'y' })],
    ]);
  });

  it.each(['time', 'timetz', 'localdatetime', 'duration', 'map', 'decimal(9,2)[]', 'date[]'])(
    'leaves a property of type %s to memory',
    type => {
      const schema = { labels: [aLabel('N', { properties: [{ name: 'p', type }, { name: 'q', type: 'int[]' }] })], edges: [] }; // prettier-ignore
      for (const read of ['RETURN n.p', 'WHERE n.p = 1 RETURN n.q', 'RETURN count(n.p)'])
        expect(prepareCypher(`MATCH (n:N) ${read}`, schema, '{}').plan).toBeNull();
      expect(prepareCypher('MATCH (n:N) RETURN n.q', schema, '{}').plan).not.toBeNull();
    },
  );

  it('knows no type where labels disagree', () => {
    expect(index.nodeProperty('编号', ['客户', '订单'])).toMatchObject({ name: '编号', word: null, known: true });
    expect(index.nodeProperty('编号', ['客户'])).toMatchObject({ word: 'bigint' });
  });

  it('reads the properties of a label once, however many a query names (risk: a graph of tens of thousands stops the loop)', () => {
    let reads = 0;
    const properties = Array.from({ length: 2_000 }, (_, i) => ({
      type: 'string',
      get name() {
        reads += 1;
        return `p${i}`;
      },
    }));
    const text = `MATCH (n) RETURN ${Array.from({ length: 300 }, (_, i) => `n.x${i}`).join(', ')}`;
    const { warnings } = prepareCypher(text, { labels: [aLabel('N', { properties })], edges: [] }, '{}');
    expect(warnings).toHaveLength(300);
    expect(reads).toBeLessThan(3 * properties.length);
  });

  it('goes through the names of labels once for all queries, however many they name (risk: 3,000 names × 6,000 labels hang a thread)', () => {
    let reads = 0;
    const labels = Array.from({ length: 2_000 }, (_, i) =>
      Object.defineProperty(aLabel(`L${i}`), 'aliases', {
        get: () => {
          reads += 1;
          return [`alias ${i}`];
        },
      }),
    );
    const schema = { labels, edges: [] };
    const names = Array.from({ length: 300 }, (_, i) => `x${i}`).join('|');
    for (const text of [`MATCH (n:${names}) RETURN n`, `MATCH (n) WHERE n:${names} RETURN n`]) prepareCypher(text, schema, '{}');
    expect(reads).toBeLessThan(2 * labels.length);
  });

  it('looks for the nearest of the first unknown names only', () => {
    const properties = Array.from({ length: 9 }, (_, i) => ({ name: `property${i}`, type: 'string' }));
    const text = `MATCH (n) RETURN ${properties.map(({ name }) => `n.${name}x`).join(', ')}`;
    const { warnings } = prepareCypher(text, { labels: [aLabel('N', { properties })], edges: [] }, '{}');
    expect(warnings.map(({ context }) => context.nearest)).toEqual([
      'property0', 'property1', 'property2', 'property3', 'property4', undefined, undefined, undefined, undefined,
    ]); // prettier-ignore
  });
});
