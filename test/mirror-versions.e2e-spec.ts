import { MirrorVersions } from '../src/warehouse/mirror/mirror-versions.js';
import { MirrorClient } from '../src/warehouse/mirror/mirror.client.js';
import { startTestApp, type TestApp } from './support/app.js';

const path = '/api/warehouse/connections/1/tables';

describe('the data version of a mirror table', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const put = (table: string, csv: string, query = {}) =>
    test.admin.put(`${path}/${table}`).query(query).set('Content-Type', 'text/csv').send(csv);

  async function shown(table: string): Promise<{ data_version: number | null; changed_at: string | null }> {
    const described = (await test.admin.get(`${path}/${table}`).expect(200)).body;
    const listed = (await test.admin.get(path).query({ limit: 200 }).expect(200)).body.items.find((each: any) => each.name === table);
    const { data_version, changed_at } = described;
    expect(listed).toMatchObject({ data_version, changed_at });
    return { data_version, changed_at };
  }

  it('rises with each upload, in every mode, and is the one that the upload answered', async () => {
    const answers = [
      (await put('v', 'id,n\n1,a\n').expect(201)).body,
      (await put('v', 'id,n\n2,b\n').expect(200)).body,
      (await put('v', 'id,n\n3,c\n', { mode: 'append' }).expect(200)).body,
      (await put('v', 'id,n\n3,d\n', { mode: 'upsert', key: 'id' }).expect(200)).body,
    ];
    const versions = answers.map(({ data_version }) => data_version);
    expect(versions.every((version, index) => index === 0 || version > versions[index - 1])).toBe(true);
    const { data_version, changed_at } = answers.at(-1);
    expect(await shown('v')).toEqual({ data_version, changed_at });
    expect(Date.now() - Date.parse(changed_at)).toBeLessThan(60_000);
  });

  it('stays as it is when an upload fails or another table changes', async () => {
    await put('kept', 'id\n1\n').expect(201);
    const before = await shown('kept');
    await put('kept', 'id\n1,2\n').expect(422);
    await put('kept', 'id\n1\n1\n', { mode: 'upsert', key: 'id' }).expect(422);
    await put('other', 'id\n1\n').expect(201);
    expect(await shown('kept')).toEqual(before);
  });

  it('is never used again, also not after the table was dropped and made again', async () => {
    const first = (await put('again', 'id\n1\n').expect(201)).body.data_version;
    await test.admin.delete(`${path}/again`).expect(204);
    expect(await test.app.get(MirrorVersions).of(['again'])).toEqual(new Map());
    expect((await put('again', 'id\n1\n').expect(201)).body.data_version).toBeGreaterThan(first);
  });

  it('is the greatest of those of uploads at once', async () => {
    await put('busy', 'id\n0\n').expect(201);
    const answers = await Promise.all([1, 2, 3, 4].map(id => put('busy', `id\n${id}\n`, { mode: 'append' }).expect(200)));
    const versions = answers.map(({ body }) => body.data_version);
    expect(new Set(versions).size).toBe(4);
    expect((await shown('busy')).data_version).toBe(Math.max(...versions));
  });

  it('is unknown of a table that somebody made in the database itself', async () => {
    await test.pool.query('CREATE TABLE mirror.own (id int)');
    expect(await shown('own')).toEqual({ data_version: null, changed_at: null });
  });

  it('is read by a reader of the mirror, in its own snapshot', async () => {
    await put('seen', 'id\n1\n').expect(201);
    const client = test.app.get(MirrorClient);
    const versions = test.app.get(MirrorVersions);
    const found = await versions.of(['seen', 'none'], async (sql, parameters) => {
      const { columns, rows } = await client.query({ claim: { caller: 1 }, sql, parameters, timeoutMs: 5_000, maxRows: 10 });
      return rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
    });
    expect(found).toEqual(await versions.of(['seen']));
    expect([...found.keys()]).toEqual(['seen']);
  });
});
