import { readFileSync } from 'node:fs';
import path from 'node:path';
import { graphTables } from '../src/database/graph-tables.js';
import { startTestApp, type TestApp } from './support/app.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

const LEVELS = [
  ['省级', 'provinces.csv', null],
  ['地级', 'cities.csv', 'provinceCode'],
  ['县级', 'areas.csv', 'cityCode'],
  ['乡级', 'streets.csv', 'areaCode'],
] as const;

interface Hit {
  display: string;
  key: string;
  label: string;
}

/** Rows of a file as the folder has them: a header, then codes bare and names between double quotes. */
function readRows(file: string): Record<string, string>[] {
  const [header = '', ...lines] = readFileSync(path.join(sharedFolder, 'data/china_divisions', file), 'utf8')
    .trim()
    .split(/\r?\n/);
  const names = header.split(',');
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell.replace(/^"|"$/g, '')])));
}

describeWithShared('searching the divisions of China', 'data/china_divisions', () => {
  let test: TestApp;
  let graphId: number;
  const files = new Map<string, Record<string, string>[]>();

  beforeAll(async () => {
    test = await startTestApp();
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: '行政区划' }).expect(201);
    graphId = graph.id;
    const { nodes, edges } = graphTables(graphId);
    for (const [i, [label, file, parent]] of LEVELS.entries()) {
      const rows = readRows(file);
      files.set(label, rows);
      await test.pool.query(
        `INSERT INTO ${nodes} (label, key, display, properties, run_id)
         SELECT $1, code, name, jsonb_build_object('代码', code, '名称', name), 1 FROM unnest($2::text[], $3::text[]) AS rows (code, name)`,
        [label, rows.map(row => row.code), rows.map(row => row.name)],
      );
      await test.pool.query(
        `INSERT INTO graph_elements (graph_id, kind, name, job_id, connection_id, connection, source_table, key_columns, key_properties, display_property, properties)
         VALUES ($1, 'node', $2, 1, 1, 'pg_mirror', $3, '{code}', '{代码}', '名称', $4)`,
        [
          graphId,
          label,
          file.replace('.csv', ''),
          '[{"name":"代码","type":"string","column":"code"},{"name":"名称","type":"string","column":"name"}]',
        ],
      );
      // Without statistics the table counts as empty, and the join below would go over it row by row.
      await test.pool.query(`ANALYZE ${nodes}`);
      const above = LEVELS[i - 1]?.[0];
      if (parent === null || above === undefined) continue;
      await test.pool.query(
        `INSERT INTO ${edges} (type, source_id, target_id, key, run_id)
         SELECT '属于', child.id, parent.id, '', 1 FROM unnest($3::text[], $4::text[]) AS rows (code, parent_code)
           JOIN ${nodes} child ON child.label = $1 AND child.key = rows.code
           JOIN ${nodes} parent ON parent.label = $2 AND parent.key = rows.parent_code`,
        [label, above, rows.map(row => row.code), rows.map(row => row[parent])],
      );
      await test.pool.query(
        `INSERT INTO graph_elements (graph_id, kind, name, source_label, target_label, job_id, aliases, connection_id, connection, source_table, key_columns)
         VALUES ($1, 'edge', '属于', $2, $3, 1, '{BELONGS_TO}', 1, 'pg_mirror', $4, '{}')`,
        [graphId, label, above, file.replace('.csv', '')],
      );
    }
    await test.pool.query(`ANALYZE ${nodes}, ${edges}`);
    await test.pool.query('UPDATE graphs SET version = 1 WHERE id = $1', [graphId]);
  }, 60_000);
  afterAll(() => test.close());

  const ask = async (body: object) => (await test.admin.post(`/api/graphs/${graphId}/query`).send(body).expect(200)).body;

  it('finds every division that carries 朝阳 in its name, and says which city each belongs to', async () => {
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
