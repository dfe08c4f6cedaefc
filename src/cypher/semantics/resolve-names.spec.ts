import { aLabel, anEdge } from '../../../test/support/graph-schema.js';
import { WritableGraph } from '../../../test/tck/writable-graph.js';
import { prepareInMemory } from '../executors/memory/run-in-memory.js';
import { propertiesRead } from '../plan/properties-read.js';
import { prepareCypher, preparing } from '../prepare-cypher.js';
import { type GraphSchema } from './graph-schema.js';

const run = { parameters: new Map(), limits: { steps: 1e6, heldBytes: 1e8 }, now: { epochNanoseconds: 0n, timeZone: 'UTC' } };

const property = (name: string, column: string) => ({ name, type: 'string', column });
const schema: GraphSchema = {
  labels: [
    aLabel('Product', { aliases: ['货'], properties: [property('名称', 'name'), property('单价', 'unit_price')] }),
    aLabel('Person', { properties: [property('name', 'name'), property('电话', 'phone')] }),
    aLabel('Shop', { properties: [property('店名', 'name'), property('电话', 'phone')] }),
  ],
  edges: [anEdge('BUYS', 'Person', 'Product', { aliases: ['买'], properties: [property('数量', 'n')] })],
};

const graph = new WritableGraph(run);
graph.runSetup(
  "CREATE (p:Product {`名称`: '茶', `单价`: '5'}), (:Person {name: '张', `电话`: '1'})-[:BUYS {`数量`: '2'}]->(p), (:Shop {`店名`: '王', `电话`: '2'})",
);

function answer(text: string, parameters = '{}'): { rows: unknown[][]; warnings: string[] } {
  const { query, parameters: values, warnings } = prepareCypher(text, schema, parameters);
  const prepared = prepareInMemory(query, graph, { ...run, parameters: values });
  const rows = [...prepared.rows()].flatMap(row => (row ? [row.values.slice()] : []));
  return { rows, warnings: warnings.map(warning => `${warning.code} ${String(warning.context.name)}`) };
}

describe('the names of a query', () => {
  it.each<[string, unknown[]]>([
    ["UNWIND [{name: 'x'}] AS n RETURN n.name AS a UNION MATCH (n:Product) RETURN n.name AS a", ['x', '茶']],
    ["MATCH (n:Product) RETURN [n IN [{name: 'x'}] | n.name][0] + n.name AS a", ['x茶']],
    ['MATCH (n:Product) WITH {name: n.name} AS n RETURN n.name AS a', ['茶']],
    ['MATCH (n:Product) RETURN n.name AS a UNION MATCH (n:Person) RETURN n.phone AS a', ['茶', '1']],
    ['MATCH (n:Product) RETURN n.name AS a UNION MATCH (n:Shop) RETURN n.name AS a', ['茶', '王']],
    ['MATCH (p:Product) WITH p AS q RETURN q.unit_price AS a', ['5']],
    ['MATCH (p:Product) WITH collect(p) AS l UNWIND l AS q RETURN q.unit_price AS a', ['5']],
    ["MATCH (p:Product) RETURN p['unit_price'] AS a", ['5']],
    ['MATCH (p:Product) RETURN p[$key] AS a', ['5']],
    ['MATCH x = (:Person)-->() RETURN nodes(x)[1].unit_price AS a', ['5']],
    ['MATCH x = (:Person)-->() RETURN [i IN nodes(x) | i.name] AS a', [['张', '茶']]],
    ['MATCH x = (:Person)-->() RETURN [i IN relationships(x) | i.n] AS a', [['2']]],
    ['MATCH ()-[r:买]->() RETURN endNode(r).name AS a', ['茶']],
    ['MATCH ()-[r]->() WHERE r:买 RETURN r.n AS a', ['2']],
    ['MATCH ()-[r*]->() RETURN r[0].n AS a', ['2']],
    ['MATCH (n) RETURN n.name AS a ORDER BY a', ['张', '王', '茶'].sort()],
    ["MATCH (n {name: '茶'}) RETURN n.unit_price AS a", ['5']],
    ["MATCH (n) WHERE n.name = '王' RETURN n.phone AS a", ['2']],
    ['MATCH (n:Product) RETURN [x IN [n, {unit_price: 7}] | x.unit_price] AS a', [['5', 7n]]],
    ['MATCH (n:Person) RETURN COLLECT { MATCH (n)-->(m:货) RETURN m.unit_price } AS a', [['5']]],
    ['MATCH (n:Person) WITH n ORDER BY n.phone RETURN [(n)-->(m) | m.unit_price] AS a', [['5']]],
    ['MATCH (n:Person) WITH DISTINCT n.phone AS a ORDER BY n.phone RETURN a', ['1']],
  ])('mean the same everywhere: %s', (text, expected) => {
    const { rows, warnings } = answer(text, text.includes('$') ? '{"key": "unit_price"}' : '{}');
    expect([rows.flat(), warnings]).toEqual([expected, []]);
  });

  it('are warned of where no element has them', () => {
    expect(answer('MATCH (n:Product) WITH n AS m RETURN m.nmae').warnings).toEqual(['unknown_property nmae']);
    expect(answer("MATCH (n:Product) RETURN n['nmae']").warnings).toEqual(['unknown_property nmae']);
    expect(answer('MATCH ()-[r:BUYS]->() RETURN endNode(r).phone').warnings).toEqual(['unknown_property phone']);
    expect(answer('UNWIND [{a: 1}] AS n RETURN n.nmae').warnings).toEqual([]);
  });

  it('name all properties that a query may read', () => {
    const names = (text: string) => [...propertiesRead(prepareCypher(text, schema, '{}').query).names!].sort();
    expect(names('MATCH (n:Product) RETURN n.unit_price')).toEqual(['单价']);
    expect(names('MATCH (n) RETURN n.name')).toEqual(['name', '名称', '店名'].sort());
    expect(names("MATCH (n:Product) RETURN n['unit_price']")).toEqual(['unit_price', '单价']);
  });
});

it('has each label and type once, whatever it is called', () => {
  const { query } = prepareCypher('MATCH (n:Product|货|product)<-[:买|BUYS]-() WHERE n:货|Product RETURN n', schema, '{}');
  const named = (each: string) => JSON.stringify(query).split(`"name":"${each}"`).length - 1;
  expect([named('Product'), named('BUYS'), named('货'), named('买')]).toEqual([2, 1, 0, 0]);
});

describe('labels in a condition', () => {
  it.each<[string, unknown[]]>([
    ['MATCH (p:Person) RETURN [x IN [p] WHERE x:Person | 7] AS a', [[7n]]],
    ['MATCH (p:Person), (s:Shop) WITH p, s.店名 AS y RETURN [x IN [p] WHERE x:Person | y] AS a', [['王']]],
    ['MATCH (p:Person) RETURN [x IN [p] WHERE x:Shop|Person | x.name] AS a', [['张']]],
    ['MATCH (p:Person) RETURN [x IN [p] WHERE NOT x:Shop | [y IN [x] WHERE y:Person|Shop | y.name]] AS a', [[['张']]]],
    ['MATCH (p:Person) RETURN [(p)-[:BUYS]->(b) WHERE b:Product | b.名称] AS a', [['茶']]],
    ['MATCH (p:Person) RETURN [(p)-[:BUYS]->(b) WHERE b:Shop|Product | b.名称] AS a', [['茶']]],
    ['MATCH (n:Person|Shop&Product) RETURN n.name AS a', ['张']],
    ['MATCH (n) WHERE n:Product&Shop|Person RETURN n.name AS a', ['张']],
    ['MATCH (n) WHERE n:Product&Product|Shop&Shop RETURN count(n) AS a', [2n]],
    ['MATCH (n:Person&Shop|Shop&Product) RETURN count(n) AS a', [0n]],
  ])('end before the projection, and & binds tighter than |: %s', (text, values) => {
    expect(answer(text).rows.map(([a]) => a)).toEqual(values);
  });
});

it('resolves the names of one query anew for each schema', () => {
  const staff = (label: string, pay: string): GraphSchema => ({
    labels: [aLabel(label, { aliases: ['Staff'], properties: [property(pay, 'pay')] })],
    edges: [],
  });
  const [before, after] = [staff('Employee', 'salary'), staff('Person', 'income')];
  const text = 'MATCH (n:Staff) RETURN n.pay AS pay';
  const prepare = preparing(text, '{}');
  const queryOf = (schema: GraphSchema) => prepareCypher(text, schema, '{}').query;
  expect([prepare(before), prepare(after), prepare(before)].map(({ query }) => query)).toEqual([
    queryOf(before),
    queryOf(after),
    queryOf(before),
  ]);
});
