import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, ingest, nodeProperties, brokenRules, upload } from './support/ingestion.js';
import { everyNth } from './support/tier.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'one', 'id\n1\n', 'id:int');
});
afterAll(() => app.close());

async function ask(graphId: number, cypher: string): Promise<any> {
  const { body, status } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher, include: ['plan'] });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** A mapping of nodes 值 whose property `p` is read from a text column as the type `type`. */
const fromText = (table: string, type: string): string => `version: 1
source: {timezone: Asia/Shanghai}
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: v, label: 值, table: ${table}, key: [id], columns: [{column: id}, {column: p, type: '${type}'}]}
`;

/** A mapping of nodes 值 whose properties come from typed columns of a query, and have the types of these columns. */
const fromQuery = (select: string, columns: string): string => `version: 1
source: {timezone: Asia/Shanghai}
nodes:
  - {id: v, label: 值, query: "SELECT id, ${select} FROM one", key: [id], columns: [{column: id}, ${columns}]}
`;

async function typesOf(graphId: number): Promise<Record<string, string>> {
  const { body } = await app.admin.get(`/api/graphs/${graphId}/schema`).expect(200);
  return Object.fromEntries(body.nodes[0].properties.map(({ name, type }: any) => [name, type]));
}

let tables = 0;
async function textTable(texts: string[]): Promise<string> {
  const name = `texts${++tables}`;
  await upload(app, name, `id,p\n${texts.map((text, i) => `${i},"${text.replaceAll('"', '""')}"`).join('\n')}\n`, 'id:text,p:text');
  return name;
}

describe('values from texts', () => {
  it.each(everyNth<[type: string, taken: [text: string, stored: unknown][], refused: string[]]>([
    ['time', [['08:30', '08:30:00'], ['23:59:59.5', '23:59:59.5']], ['24:00', '08:30+08', 'noon']],
    ['timetz', [['08:30+08', '08:30:00+08:00'], ['08:30:01.25Z', '08:30:01.25+00:00'], ['8:30 -05:30', '08:30:00-05:30']], ['08:30', '24:00+08', '08:30:00.1234567Z', '08:30 Asia/Shanghai']],
    ['localdatetime', [['2024-05-01 08:30', '2024-05-01T08:30:00'], ['2024-05-01', '2024-05-01T00:00:00'], ['2024-05-01T08:30:01.5', '2024-05-01T08:30:01.5']], ['2024-05-01T08:30Z', '2024-05-01 08:30+08', '2024-13-01', 'now', 'infinity', '2024-05-01T08:30:01.1234567']],
    ['duration', [['P1Y2M10DT2H30M', 'P1Y2M10DT2H30M'], ['1 day 02:03:04.5', 'P1DT2H3M4.5S'], ['-1 days +02:00:00', 'P-1DT2H'], ['PT0S', 'PT0S'], ['P2W', 'P14D'], ['PT-0.5S', 'PT-0.5S'], ['02:30:00', 'PT2H30M'], ['3 mons', 'P3M']], ['5', '1.5 days', 'P0.5M', 'PT0.1234567S', 'infinity', 'soon', 'P']],
    ['map', [['{"a": [1, {"b": null}], "c": null}', { a: [1, { b: null }], c: null }], ['{}', {}]], ['[1]', '1', '"x"', '{"a": 1, "a": 2}', '{']],
    ['date[]', [['["2024-05-01", null]', ['2024-05-01', null]], ['{2024-05-01,NULL}', ['2024-05-01', null]], ['[]', []]], ['["2024-13-01"]', '[["2024-05-01"]]', '["today"]', '2024-05-01', '[1]']],
    ['boolean[]', [['[true, null, false]', [true, null, false]], ['{t,f}', [true, false]]], ['["true"]', '[0]']],
    ['float[]', [['[1.5, 2, null]', [1.5, 2, null]], ['{1e3}', [1000]]], ['["1.5"]', '[true]', '{NaN}']],
    ['decimal(6,2)[]', [['[1.5, 2.25]', [1.5, 2.25]]], ['[12345.5]']],
    ['bigint[]', [['[9007199254740991, -3]', [9007199254740991, -3]]], ['[1.5]', '[9223372036854775808]']],
    ['int[]', [['[1, null]', [1, null]]], ['[1.5]', '["1"]']],
    ['string[]', [['["a", null, ""]', ['a', null, '']], ['{a,NULL,""}', ['a', null, '']]], ['[1]', '[["a"]]']],
    ['datetime[]', [['["2024-05-01T08:30Z"]', ['2024-05-01T16:30:00+08:00']]], ['["2024"]']],
    ['localdatetime[]', [['["2024-05-01 08:30"]', ['2024-05-01T08:30:00']]], ['["2024-05-01T08:30Z"]']],
    ['time[]', [['{08:30,NULL}', ['08:30:00', null]]], ['{24:00}']],
    ['timetz[]', [['{08:30+08}', ['08:30:00+08:00']]], ['{08:30}']],
    ['duration[]', [['["P1D", "1 day 01:00:00"]', ['P1D', 'P1DT1H']]], ['["5"]']],
  ], 4))('are read as type %s, or their rows rejected', async (type, taken, refused) => {
    const { graphId, run } = await ingest(app, fromText(await textTable([...taken.map(([text]) => text), ...refused]), type));
    const stored = await nodeProperties(app, graphId);
    expect(taken.map((_, i) => stored[i]?.p)).toEqual(taken.map(([, value]) => value));
    const broken = await brokenRules(app, run.id);
    expect(refused.map((text, i) => [text, broken[taken.length + i]])).toEqual(refused.map(text => [text, ['type']]));
    expect(await typesOf(graphId)).toMatchObject({ p: type });
    // The property is the same by itself and inside its node. SQL cannot compute most of these types, so memory runs the query.
    const { rows, plan } = await ask(graphId, 'MATCH (n:值) RETURN n.p AS p, n AS n ORDER BY n.id');
    expect(rows.map(([p, n]: any) => [p, n.properties.p])).toEqual(taken.map(([, value]) => [value, value]));
    if (!['int[]', 'bigint[]', 'string[]'].includes(type)) expect(plan.executor).toBe('memory');
  }); // prettier-ignore
});

describe('values from typed columns', () => {
  let graphId: number;
  const columns: Record<string, [sql: string, type: string, stored: unknown]> = {
    span: [`'1 mon 2 days 03:00:04.5'::interval`, 'duration', 'P1M2DT3H4.5S'],
    clock: [`'08:30'::time`, 'time', '08:30:00'],
    zoned: [`'08:30+05'::timetz`, 'timetz', '08:30:00+05:00'],
    moment: [`'2024-05-01 08:30+00'::timestamptz`, 'datetime', '2024-05-01T16:30:00+08:00'],
    days: [`ARRAY['2024-05-01'::date, NULL]`, 'date[]', ['2024-05-01', null]],
    spans: [`ARRAY['1 day'::interval]`, 'duration[]', ['P1D']],
    clocks: [`ARRAY['08:30'::time]`, 'time[]', ['08:30:00']],
    zoneds: [`ARRAY['08:30+05'::timetz]`, 'timetz[]', ['08:30:00+05:00']],
    moments: [`ARRAY['2024-05-01 08:30'::timestamp]`, 'datetime[]', ['2024-05-01T08:30:00+08:00']],
    floats: [`ARRAY[1.5::float8, NULL]`, 'float[]', [1.5, null]],
    numbers: [`ARRAY[1.10::numeric, 2]`, 'decimal[]', [1.1, 2]],
    flags: [`ARRAY[true, NULL, false]`, 'boolean[]', [true, null, false]],
    counts: [`ARRAY[1::bigint, NULL]`, 'int[]', [1, null]],
    words: [`ARRAY['a'::text, NULL, '']`, 'string[]', ['a', null, '']],
    none: [`ARRAY[]::date[]`, 'date[]', []],
    tree: [`'{\\"a\\": {\\"b\\": [1, null]}}'::jsonb`, 'json', { a: { b: [1, null] } }],
  };
  beforeAll(async () => {
    const select = Object.entries(columns).map(([name, [sql]]) => `${sql} AS ${name}`);
    const named = Object.keys(columns).map(name => `{column: ${name}}`);
    const local =
      `{expression: \\"moment::timestamp\\", property: local, type: localdatetime}, {column: tree, property: map, type: map}`.replaceAll(
        '\\"',
        '"',
      );
    ({ graphId } = await ingest(app, fromQuery(select.join(', '), `${named.join(', ')}, ${local}`)));
  });

  it('have the types of their columns, and a form of their own', async () => {
    expect(await typesOf(graphId)).toMatchObject({
      ...Object.fromEntries(Object.entries(columns).map(([name, [, type]]) => [name, type])),
      local: 'localdatetime',
      map: 'map',
    });
    const stored = await nodeProperties(app, graphId);
    expect(stored['1']).toMatchObject({
      ...Object.fromEntries(Object.entries(columns).map(([name, [, , value]]) => [name, value])),
      local: '2024-05-01T16:30:00',
      map: { a: { b: [1, null] } },
    });
  });

  it.each<[string, unknown]>([
    ['n.span.days', 2],
    ['n.span.months', 1],
    [`n.span = duration('P1M2DT3H4.5S')`, true],
    [`date('2024-01-01') + n.span`, '2024-02-03'],
    ['n.clock.hour', 8],
    [`n.clock = localtime('08:30')`, true],
    [`n.clock < '09:00'`, true],
    [`n.zoned = time('03:30Z')`, false],
    [`n.zoned.offset`, '+05:00'],
    [`n.local = localdatetime('2024-05-01T16:30')`, true],
    [`n.moments[0] = datetime('2024-05-01T08:30+08:00')`, true],
    ['n.days[0].month', 5],
    ['n.days[1] IS NULL', true],
    [`date('2024-05-01') IN n.days`, true],
    ['[d IN n.spans | d.days]', [1]],
    ['n.clocks[0].minute', 30],
    ['n.zoneds[0].offset', '+05:00'],
    ['n.moments[0].day', 1],
    ['n.floats[0] / 3', 0.5],
    ['n.numbers[0] + n.numbers[0]', 2.2],
    ['n.flags[1] IS NULL AND n.flags[0]', true],
    ['n.counts[0] / 2', 0],
    ['size(n.words)', 3],
    ['size(n.none)', 0],
    ['n.tree.a.b[0]', 1],
    ['keys(n.map)', ['a']],
    ['n.map.a', { b: [1, null] }],
    [`n['span'].days`, 2],
    ['properties(n).span.days', 2],
  ])('are values of Cypher: %s', async (expression, value) => {
    for (const middle of ['', 'WITH n ']) {
      const { rows } = await ask(graphId, `MATCH (n:值) ${middle}RETURN ${expression} AS x`);
      expect(rows).toEqual([[value]]);
    }
  }); // prettier-ignore
});

describe('values that graphs do not have', () => {
  it('are kept as their texts, which the report says, unless the mapping asks for texts', async () => {
    const { graphId, run } = await ingest(
      app,
      fromQuery(`id::text AS t`, `{expression: "ROW(id, 1)", property: row}, {expression: "ROW(id, 1)", property: text, type: string}, {column: t}`),
    ); // prettier-ignore
    expect(run.report.warnings).toEqual([
      expect.objectContaining({ code: 'kept_as_text', property: 'row', message: expect.stringMatching(/[\u4e00-\u9fff].*kept as its text/) }),
    ]); // prettier-ignore
    expect((await nodeProperties(app, graphId))['1']).toMatchObject({ row: '(1,1)', text: '(1,1)' });
  });

  it('are refused by name where a type is written that there is not', async () => {
    const { body } = await app.admin
      .post('/api/ingestion/jobs')
      .send({ graph_id: await aGraph(app), mapping_yaml: fromText('one', 'interval[]') })
      .expect(422);
    expect(JSON.stringify(body)).toMatch(/unknown_type.*duration/);
  });
});

describe('properties on which jobs disagree', () => {
  it('are what the source gave, not what another job calls them', async () => {
    const first = await textTable(['P1D']);
    const { graphId } = await ingest(app, fromText(first, 'duration'));
    const second = fromText(await textTable(['P1D', 'P2D']), 'string');
    const { body: job } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: second }).expect(201);
    await app.admin.post(`/api/ingestion/jobs/${job.id}/run`).set('Prefer', 'wait=60').expect(200);
    for (const middle of ['', 'WITH n ']) {
      expect((await ask(graphId, `MATCH (n:值) ${middle}RETURN n.p = 'P1D' AS x ORDER BY n.id`)).rows).toEqual([[true], [false]]);
    }
  });
});
