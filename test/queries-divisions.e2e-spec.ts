import path from 'node:path';
import { startTestApp, type TestApp } from './support/app.js';
import { ingest, shared, upload } from './support/ingestion.js';
import { describeWithShared } from './support/shared-data.js';

const levels = [
  ['省级', 'provinces', null],
  ['地级', 'cities', 'provinceCode'],
  ['县级', 'areas', 'cityCode'],
  ['乡级', 'streets', 'areaCode'],
] as const;

const folder = 'data/china_divisions';

const mapping = `version: 1
nodes:
${levels
  .map(
    ([label, table]) => `  - id: ${table}
    label: ${label}
    table: ${table}
    key: [code]
    display: name
    columns: [{column: code, property: 代码}, {column: name, property: 名称}]`,
  )
  .join('\n')}
edges:
${levels
  .slice(1)
  .map(
    ([, table, parent], i) => `  - type: 属于
    aliases: [BELONGS_TO]
    table: ${table}
    from: {node: ${table}, match: {code: code}}
    to: {node: ${levels[i]?.[1]}, match: {${parent}: code}}`,
  )
  .join('\n')}
`;

interface Hit {
  display: string;
  key: string;
  label: string;
}

/** The rows of a file in the folder: a header, then bare codes and names in double quotes. */
function readRows(csv: Buffer): Record<string, string>[] {
  const [header = '', ...lines] = csv.toString().trim().split(/\r?\n/);
  const names = header.split(',');
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell.replace(/^"|"$/g, '')])));
}

describeWithShared('searching the divisions of China', folder, () => {
  let test: TestApp;
  let graphId: number;
  const files = new Map<string, Record<string, string>[]>();

  beforeAll(async () => {
    test = await startTestApp();
    for (const [label, table] of levels) {
      const csv = shared(path.join(folder, `${table}.csv`));
      files.set(label, readRows(csv));
      await upload(test, table, csv, 'code:text');
    }
    const { graphId: ingested, run } = await ingest(test, mapping);
    graphId = ingested;
    expect(run.status).toBe('succeeded');
  }, 60_000);
  afterAll(() => test.close());

  const ask = async (body: object) => (await test.admin.post(`/api/graphs/${graphId}/query`).send(body).expect(200)).body;

  it('finds every division with 朝阳 in its name, and says which city each belongs to', async () => {
    const all = [...files.values()].flat().filter(row => row.name?.includes('朝阳'));
    const cityOf = new Map([...files.values()].flat().map(row => [row.code, row.cityCode ?? row.code]));
    const found: { hit: Hit; context: Hit[] }[] = [];
    let cursor: string | null = null;
    do {
      const page: { rows: [Hit, number, Hit[]][]; next_cursor: string | null } = await ask({
        search: '朝阳',
        limit: 50,
        ...(cursor ? { cursor } : {}),
      });
      found.push(...page.rows.map(([hit, , context]) => ({ hit, context })));
      cursor = page.next_cursor;
    } while (cursor);
    expect(all.length).toBeGreaterThan(50);
    expect(found.map(({ hit }) => hit.key).sort()).toEqual(all.map(row => row.code).sort());
    for (const { hit, context } of found) {
      const city = hit.label === '地级' ? hit : context.find(node => node.label === '地级');
      expect([hit.key, city?.key]).toEqual([hit.key, cityOf.get(hit.key)]);
    }
  });

  it('finds the district of Beijing among the first, with its city and province', async () => {
    const { rows } = await ask({ search: '朝阳区', limit: 5 });
    const beijing = rows.find(([hit]: [Hit]) => hit.key === '110105');
    expect(beijing[2].map((node: Hit) => node.display)).toEqual(['市辖区', '北京市']);
  });

  it.each([
    ['1101', '1101'],
    ['110105', '110105'],
    ['西藏自治区', '54'],
    ['呼和浩特市', '1501'],
  ])('finds %s first by name or code', async (search, key) => {
    expect((await ask({ search, limit: 3 })).rows[0][0].key).toBe(key);
  });

  it('answers which districts belong to a city and how many there are', async () => {
    const { rows } = await ask({ question: '呼和浩特市有多少个县级' });
    expect(rows).toEqual([[files.get('县级')?.filter(row => row.cityCode === '1501').length]]);
    const { rows: districts } = await ask({ question: '属于呼和浩特市的县级有哪些' });
    expect(districts).toHaveLength(rows[0][0]);
  });
});
