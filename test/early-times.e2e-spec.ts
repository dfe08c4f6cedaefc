import { type TestApp, startTestApp } from './support/app.js';
import { aTable, brokenRules, ingest, nodeProperties, rejectedRows, uploadRequest } from './support/ingestion.js';
import { everyNth } from './support/tier.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const places = `id,name,day,at
1,Old Port,0001-01-01,0001-01-01 00:00:00
2,Forum,0044-03-15 BC,0044-03-15 12:00:00 BC
3,Open end,infinity,infinity
4,Leap,2024-02-29,2024-02-29 10:00:00
5,Lane,1900-01-01,1900-01-01 00:00:00
6,Far,12024-05-01,12024-05-01 00:00:00
`;
const types = 'day:date,at:timestamp';
const mapping = (table: string, timezone: string) => `version: 1
source: {timezone: ${timezone}}
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: p, label: Place, table: ${table}, key: [id], display: name, columns: [{column: id}, {column: name}, {column: day}, {column: at}]}
`;

async function rowsOf(graphId: number, cypher: string, parameters = {}): Promise<unknown[][]> {
  const { body, status } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ cypher, parameters });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.rows;
}

// Before standard time, time zones had offsets with seconds: 8:05:43 in Shanghai until 1901.
const zones: [name: string, offset: string, moment: string][] = [
  ['Asia/Shanghai', '+08:05:43', '1899-12-31T15:54:17Z'],
  ['Africa/Monrovia', '-00:43:08', '1900-01-01T00:43:08Z'],
  ['UTC', 'Z', '1900-01-01T00:00:00Z'],
];
describe.each(everyNth(zones, 3))('times before standard time and before our era, in %s', (timezone, offset, moment) => {
  let graphId: number;
  let runId: number;
  beforeAll(async () => {
    const { graphId: id, run } = await ingest(app, mapping(await aTable(app, places, types), timezone));
    [graphId, runId] = [id, run.id];
  });
  const names = async (cypher: string) => (await rowsOf(graphId, cypher)).map(([name]) => name);

  it('reject only the infinite ones', async () => {
    expect(await brokenRules(app, runId)).toEqual({ 3: ['type', 'type'] });
  });

  it.each(['', 'WITH p '])('have their order, and compare with other times (%j)', async middle => {
    const inOrder = ['Forum', 'Old Port', 'Lane', 'Leap', 'Far'];
    expect(await names(`MATCH (p:Place) ${middle}RETURN p.name ORDER BY p.at`)).toEqual(inOrder);
    expect(await names(`MATCH (p:Place) ${middle}RETURN p.name ORDER BY p.day`)).toEqual(inOrder);
    const early = `MATCH (p:Place) ${middle}WHERE p.at < datetime('1901-01-01T00:00:00Z') RETURN p.name ORDER BY p.at`;
    expect(await names(early.replace(middle, ''))).toEqual(inOrder.slice(0, 3));
    expect(await names(`MATCH (p:Place) WHERE p.at < '1901-01-01' RETURN p.name ORDER BY p.at`)).toEqual(inOrder.slice(0, 3));
    expect(await names(`MATCH (p:Place) WHERE p.at < '0001-01-01' RETURN p.name`)).toEqual(['Forum']);
    expect(await names(`MATCH (p:Place) WHERE p.day < date('0001-01-01') RETURN p.name`)).toEqual(['Forum']);
    const [[first, last]] = (await rowsOf(graphId, `MATCH (p:Place) ${middle}RETURN min(p.at), max(p.at)`)) as [[string, string]];
    expect([first.slice(0, 20), last.slice(0, 17)]).toEqual(['-0043-03-15T12:00:00', '+12024-05-01T00:0']);
  });

  it('are shown with the years of ISO 8601, in rows and in nodes', async () => {
    const rows = await rowsOf(graphId, 'MATCH (p:Place) RETURN p.name, p.day, p.at, toString(p.day), p ORDER BY p.at');
    const years = rows.map(([, day, at, text, { properties }]: any) => [
      day,
      text,
      properties.day,
      at.slice(0, day.length),
      properties.at === at,
    ]);
    const days = ['-0043-03-15', '0001-01-01', '1900-01-01', '2024-02-29', '+12024-05-01'];
    expect(years).toEqual(days.map(day => [day, day, day, day, true]));
    const stored = await nodeProperties(app, graphId);
    expect(stored['2'].day).toBe('-0043-03-15');
  });

  it('have components, and add up', async () => {
    const [row] = await rowsOf(
      graphId,
      `MATCH (p:Place {name: 'Lane'}) RETURN p.at.year, p.at.offset, p.at.epochSeconds, toString(p.at + duration('P1D')),
        toString(duration.between(p.at, datetime('1900-01-03T00:00:00Z')).seconds IS NOT NULL), p.at = datetime($moment)`,
      { moment },
    );
    expect(row).toEqual([1900, offset, Date.parse(moment) / 1000, `1900-01-02T00:00${offset}`, 'true', timezone === 'UTC']);
    expect(
      await rowsOf(graphId, `MATCH (p:Place {name: 'Forum'}) RETURN p.day.year, p.at.year, p.at.month, (p.day + duration('P50Y')).year`),
    ).toEqual([[-43, -43, 3, 7]]);
  });
});

it('questions find the oldest and the newest beside times before standard time', async () => {
  const csv = `id,name,born
1,Old,1900-01-01 00:00:00
2,Mid,1900-12-31 12:00:00
3,New,1980-05-05 08:00:00
4,Net,2001-02-03 04:05:06
`;
  const { graphId } = await ingest(
    app,
    `version: 1
source: {timezone: Asia/Shanghai}
nodes:
  - {id: p, label: 员工, table: ${await aTable(app, csv, 'born:timestamp')}, key: [id], display: name, columns: [{column: id}, {column: name, property: 姓名}, {column: born, property: 出生时间}]}
`,
  );
  for (const [question, name] of [
    ['出生时间最早的员工', 'Old'],
    ['出生时间最晚的员工', 'Net'],
  ]) {
    const { body } = await app.admin.post(`/api/graphs/${graphId}/query`).send({ question }).expect(200);
    expect([question, JSON.stringify(body.rows[0]).includes(`"${name}"`), body.rows.length]).toEqual([question, true, 1]);
  }
});

describe('values that are made from stored times', () => {
  let graphId: number;
  beforeAll(async () => {
    const table = await aTable(
      app,
      `id,t,z,l,d,at,s\n1,08:30:00,08:30:00+05,2024-05-01 08:30:00,2024-05-01,2024-05-01 08:30:00,P1D\n`,
      'id:text,t:text,z:text,l:text,d:text,at:text,s:text',
    );
    const columns = ['t: time', 'z: timetz', 'l: localdatetime', 'd: date', 'at: datetime', 's: duration'].map(each => {
      const [column, type] = each.split(': ');
      return `{column: ${column}, type: ${type}}`;
    });
    const text = `version: 1
source: {timezone: Asia/Shanghai}
nodes:
  - {id: v, label: V, table: ${table}, key: [id], columns: [{column: id}, ${columns.join(', ')}]}
`;
    ({ graphId } = await ingest(app, text));
  });

  it.each(
    everyNth(
      [
        [`n.t + duration({minutes: 1})`, '08:31'],
        [`duration({minutes: 1}) + n.t`, '08:31'],
        [`n.t - duration({minutes: 1})`, '08:29'],
        [`n.z + duration({minutes: 1})`, '08:31+05:00'],
        [`[n.t + duration({hours: 1}), n.t]`, ['09:30', '08:30:00']],
        [`{a: n.z + duration({hours: 1}), b: n.z}`, { a: '09:30+05:00', b: '08:30:00+05:00' }],
        [`collect(n.t + duration({hours: 1}))`, ['09:30']],
        [`max(n.t + duration({hours: 1}))`, '09:30'],
        [`reduce(x = n.t, i IN [1, 2] | x + duration({minutes: i}))`, '08:33'],
        [`n.l + duration({hours: 1})`, '2024-05-01T09:30'],
        [`n.d + duration({days: 1})`, '2024-05-02'],
        [`n.at + duration({hours: 1})`, '2024-05-01T09:30+08:00'],
        [`n.s + duration({days: 1})`, 'P2D'],
        [`n.s * 2`, 'P2D'],
        [`localtime.truncate('hour', n.t)`, '08:00'],
        [`time({time: n.z, minute: 0})`, '08:00+05:00'],
        [`localtime({time: n.t, hour: 1})`, '01:30'],
        [`time(n.t)`, '08:30Z'],
      ],
      3,
    ),
  )('%s is printed from its own fields', async (expression, expected) => {
    for (const middle of ['', 'WITH n '])
      expect(await rowsOf(graphId, `MATCH (n:V) ${middle}RETURN ${expression} AS x`)).toEqual([[expected]]);
  });
});

it('elements of stored lists of times are added to from their own fields', async () => {
  const table = 'times_in_lists';
  const line = `{"id": 1, "ts": ["08:30:00", "23:59:30"], "zs": ["08:30:00+05", "09:00:00Z"]}\n`;
  expect((await uploadRequest(app.admin, table, line, {}, 'application/x-ndjson')).status).toBe(201);
  const mapping = `version: 1
nodes:
  - {id: v, label: V, table: ${table}, key: [id], columns: [{column: id}, {column: ts, type: 'time[]'}, {column: zs, type: 'timetz[]'}]}
`;
  const { graphId, run } = await ingest(app, mapping);
  expect([run.error, run.report.totals.rejected]).toEqual([null, 0]);
  const added = [
    ['08:31', '00:00:30'],
    ['08:31+05:00', '09:01Z'],
  ];
  for (const middle of ['', 'WITH n ']) {
    const lists = `MATCH (n:V) ${middle}RETURN [x IN n.ts | x + duration({minutes: 1})], [x IN n.zs | x + duration({minutes: 1})]`;
    expect(await rowsOf(graphId, lists)).toEqual([added]);
    for (const [i, list] of ['n.ts', 'n.zs'].entries()) {
      expect(await rowsOf(graphId, `MATCH (n:V) ${middle}UNWIND ${list} AS x RETURN x + duration({minutes: 1})`)).toEqual(
        added[i]!.map(x => [x]),
      );
      const folded = `MATCH (n:V) ${middle}RETURN reduce(t = ${list}[0], i IN [1] | t + duration({minutes: i})), ${list}[0]`;
      expect(await rowsOf(graphId, folded)).toEqual([[added[i]![0], ['08:30:00', '08:30:00+05:00'][i]]]);
    }
  }
});

it('times with more than six decimals of a second are rejected by column and value, and never rounded', async () => {
  const texts = [
    '2024-01-31T23:59:59.9999999',
    '2024-12-31 23:59:59.9999999Z',
    '20241231T235959.9999999',
    '2024-12-31 23:59:60',
    '2024-12-31 23:59.5',
    '2024-12-31T23:59:59.9999990',
  ];
  const csv = `id,v\n${texts.map((text, i) => `${i},${text}`).join('\n')}\n`;
  for (const type of everyNth(['date', 'datetime', 'time', 'localdatetime'], 2)) {
    const table = await aTable(app, csv, 'id:text,v:text');
    const { graphId, run } = await ingest(
      app,
      `version: 1\ndefaults: {on_error: quarantine, max_error_rate: 1}\nnodes:\n  - {id: v, label: V, table: ${table}, key: [id], columns: [{column: id}, {column: v, type: ${type}}]}\n`,
    );
    const [first] = await rejectedRows(app, run.id);
    expect(first).toMatchObject({ source_key: '0', reasons: [{ column: 'v', rule: 'type' }] });
    expect(JSON.stringify(first)).toMatch(/9999999' as .*, since a second has at most 6 decimals/);
    const stored = await nodeProperties(app, graphId);
    const kept = {
      date: '2024-12-31',
      datetime: '2024-12-31T23:59:59.999999+00:00',
      time: '23:59:59.999999',
      localdatetime: '2024-12-31T23:59:59.999999',
    };
    expect([type, stored]).toEqual([type, { 5: { id: '5', v: kept[type as keyof typeof kept] } }]);
  }
});

it.each([
  ['timestamp', '2024-01-31T23:59:59.9999999', /秒至多 6 位小数.*at most 6 decimals of a second/],
  ['timestamptz', '2024-01-31 23:59:59.9999999+08', /秒至多 6 位小数.*at most 6 decimals of a second/],
  ['date', '2024-01-31 23:59:59.9999999', /不含时刻的日期.*has no time of day/],
  ['time', '23:59:59.9999999', /秒至多 6 位小数.*at most 6 decimals of a second/],
])('uploads into a column of type %s refuse %s with its line and column', async (type, text, reason) => {
  for (const [file, format, line] of [
    [`id,v\n1,\n2,${text}\n`, 'text/csv', 3],
    [`{"id":1}\n{"id":2,"v":"${text}"}\n`, 'application/x-ndjson', 2],
  ] as const) {
    const { body, status } = await uploadRequest(app.admin, 'fine', file, { types: `v:${type}` }, format);
    expect([status, body.detail?.errors?.[0]]).toEqual([422, expect.objectContaining({ loc: ['body', line, 'v'], line })]);
    expect(body.detail.errors[0].msg).toMatch(reason);
  }
});

describe('metrics over times before our era', () => {
  let graphId: number;
  let table: string;
  beforeAll(async () => {
    table = await aTable(app, places, types);
    graphId = (await app.admin.post('/api/graphs').send({ name: 'places' }).expect(201)).body.id;
  });
  async function execute(request: object, more: object = {}) {
    const binding = {
      relation: { table },
      time: { column: 'day' },
      dimensions: [
        { name: 'day', column: 'day' },
        { name: 'at', column: 'at' },
      ],
      ...more,
    };
    const metric = { graph_id: graphId, name: `m${Math.random()}`, formula: 'COUNT(*)', binding };
    const { body } = await app.admin.post('/api/metrics').send(metric).expect(201);
    return app.admin.post(`/api/metrics/${body.id}/execute`).send(request);
  }

  it.each([
    ['year', 'day'],
    ['month', 'at'],
    ['day', 'day'],
    ['hour', 'at'],
  ])('refuse a %s that no text of four digits has, by name', async (grain, column) => {
    const { body, status } = await execute({ time: { grain } }, { time: { column, timezone: 'Asia/Shanghai' } });
    expect([status, body.detail?.errors?.[0]]).toEqual([
      422,
      expect.objectContaining({ type: 'period_out_of_range', loc: ['body', 'time'] }),
    ]);
    expect(JSON.stringify(body)).toMatch(/time\.from/);
  });

  it('count the rest when the range is told, and say that infinite times lie in no period', async () => {
    const within = await execute({ time: { grain: 'year', from: '0001-01-01', to: '9999-12-31' } });
    expect(within.body.rows.map(([period, count]: [string, string]) => [period, Number(count)])).toEqual([
      ['0001-01-01', 1],
      ['1900-01-01', 1],
      ['2024-01-01', 1],
    ]);
    expect(within.body.warnings).toEqual([]);
    const open = await execute({ time: { grain: 'year', from: '2000-01-01' }, filters: [{ field: 'day', op: '!=', value: '2024-02-29' }] });
    expect(open.status).toBe(422);
    const after = await execute({ time: { grain: 'year', from: '2000-01-01' } }, { row_filter: 'id <> 6' });
    expect(after.body.rows.map(([period, count]: [string, string]) => [period, Number(count)])).toEqual([
      ['2024-01-01', 1],
      [null, 1],
    ]);
    expect(after.body.warnings.map(({ code }: { code: string }) => code)).toEqual(['NO_PERIOD']);
  });

  it('show dimensions with the years of ISO 8601', async () => {
    const { body } = await execute({ dimensions: ['day', 'at'] });
    const shown = body.rows.map(([day, at]: string[]) => [day, at]);
    expect(shown).toContainEqual(['-0043-03-15', '-0043-03-15T12:00:00']);
    expect(shown).toContainEqual(['+12024-05-01', '+12024-05-01T00:00:00']);
  });
});
