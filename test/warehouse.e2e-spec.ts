import { MirrorClient } from '../src/warehouse/mirror/mirror.client.js';
import { WarehouseService } from '../src/warehouse/warehouse.service.js';
import { dataVersions, MirrorVersions } from '../src/warehouse/mirror/mirror-versions.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { tablesPath, uploadRequest, aGraph, ingest, upload } from './support/ingestion.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('warehouse', () => {
  let user: Client;

  beforeAll(async () => {
    user = await test.asUser('reader');
    await grantConnection(test, 'reader');
  });

  const upload = (table: string, csv: string | Buffer, query?: Record<string, string>, as = test.admin) =>
    uploadRequest(as, table, csv, query);

  async function tableNames(): Promise<string[]> {
    return (await test.pool.query(`SELECT relname FROM pg_class WHERE relnamespace = 'mirror'::regnamespace AND relkind = 'r'`)).rows.map(
      row => row.relname,
    );
  }

  describe('connections', () => {
    it('has the default mirror connection from the start', async () => {
      const { body } = await user.get('/api/warehouse/connections').expect(200);
      expect(body).toEqual({
        items: [
          {
            id: 1,
            name: 'pg_mirror',
            type: 'pg_mirror',
            dsn_masked: null,
            options: {},
            is_default: true,
            right: 'read',
            created_at: expect.any(String),
          },
        ],
        next_cursor: null,
      });
    });

    it('creates, shows and deletes a connection', async () => {
      const { body } = await test.admin
        .post('/api/warehouse/connections')
        .send({ name: '第二镜像', type: 'pg_mirror', dsn: null, options: {} })
        .expect(201);
      expect(body).toMatchObject({ name: '第二镜像', is_default: false });
      expect((await test.admin.get(`/api/warehouse/connections/${body.id}`).expect(200)).body.right).toBe('write');
      await user.get(`/api/warehouse/connections/${body.id}`).expect(403);
      await test.admin.post('/api/warehouse/connections').send({ name: '第二镜像', type: 'pg_mirror' }).expect(400);
      await test.admin.delete(`/api/warehouse/connections/${body.id}`).expect(204);
      await user.get(`/api/warehouse/connections/${body.id}`).expect(404);
    });

    it('refuses a DSN for pg_mirror in the legacy form', async () => {
      const { body } = await test.admin
        .post('/warehouse/connections')
        .send({ name: 'x', type: 'pg_mirror', dsn: 'postgres://h/d' })
        .expect(422);
      expect(body).toMatchObject({ success: false, code: 'pg_mirror_dsn' });
      expect(body.message).toContain('pg_mirror connections must not provide a DSN');
      expect(JSON.stringify(body)).not.toContain('postgres://h/d');
    });

    it('refuses types that come later by name, and unknown ones as a schema failure', async () => {
      const later = await test.admin.post('/api/warehouse/connections').send({ name: 'x', type: 'snowflake', dsn: 'x' }).expect(422);
      expect(later.body.message).toMatch(/snowflake come later/);
      const unknown = await test.admin.post('/api/warehouse/connections').send({ name: 'x', type: 'oracle' }).expect(422);
      expect(unknown.body.detail.errors[0]).toMatchObject({ loc: ['body', 'type'], type: 'not_one_of' });
      await test.admin
        .post('/api/warehouse/connections')
        .send({ name: 'x', type: 'pg_mirror', options: { pool_max: 3 } })
        .expect(422);
    });

    it('never deletes the default connection', async () => {
      const { body } = await test.admin.delete('/api/warehouse/connections/1').expect(422);
      expect(body).toMatchObject({ success: false, code: 'default_connection' });
    });

    it('names the jobs and metrics that keep a connection from being deleted', async () => {
      const { body: connection } = await test.admin
        .post('/api/warehouse/connections')
        .send({ name: 'used', type: 'pg_mirror' })
        .expect(201);
      const { rows: graphs } = await test.pool.query(`INSERT INTO graphs (name, owner_id) VALUES ('g', 1) RETURNING id`);
      const { rows: jobs } = await test.pool.query(
        `INSERT INTO ingestion_jobs (graph_id, connection_id, name, mapping_yaml) VALUES ($1, $2, 'j', '') RETURNING id`,
        [graphs[0].id, connection.id],
      );
      const { rows: metrics } = await test.pool.query(`INSERT INTO metrics (graph_id, name, formula) VALUES ($1, 'm', 'x') RETURNING id`, [
        graphs[0].id,
      ]);
      await test.pool.query(`INSERT INTO metric_bindings (metric_id, connection_id, binding) VALUES ($1, $2, '{}')`, [
        metrics[0].id,
        connection.id,
      ]);
      const { body } = await test.admin.delete(`/api/warehouse/connections/${connection.id}`).expect(422);
      expect(body).toMatchObject({ code: 'connection_in_use', context: { jobs: [jobs[0].id], metrics: [metrics[0].id] } });
    });

    it('tests a connection as the role that user SQL runs as', async () => {
      const { body } = await test.admin.post('/api/warehouse/connections/1/test').expect(200);
      expect(body).toMatchObject({ ok: true, current_user: 'graph_test_template_mirror', read_only_enforced: true, can_write: false });
    });

    it('lets granted users read, and only admins change', async () => {
      await test.anonymous.get('/api/warehouse/connections').expect(401);
      await test.anonymous.get(tablesPath).expect(401);
      await user.get(tablesPath).expect(200);
      await user.post('/api/warehouse/connections').send({ name: 'y', type: 'pg_mirror' }).expect(403);
      await user.delete('/api/warehouse/connections/1').expect(403);
      await user.post('/api/warehouse/connections/1/test').expect(403);
      await upload('forbidden', 'a\n1\n', {}, user).expect(403);
      await user.delete(`${tablesPath}/forbidden`).expect(403);
      expect(await tableNames()).not.toContain('forbidden');
    });

    it('answers for missing connections and for ids that are none', async () => {
      await user.get('/api/warehouse/connections/999/tables').expect(404);
      await test.admin.put('/api/warehouse/connections/999/tables/t').set('Content-Type', 'text/csv').send('a\n1\n').expect(404);
      await user.get('/api/warehouse/connections/abc').expect(422);
    });
  });

  describe('WarehouseService', () => {
    const admin = { userId: 1 };

    it('opens the default, a name and an id', async () => {
      const warehouse = test.app.get(WarehouseService);
      for (const nameOrId of [null, 'pg_mirror', 1, '1']) {
        const { id, name, client, claim } = await warehouse.open(admin, nameOrId);
        expect({ id, name, claim, isMirror: client === test.app.get(MirrorClient) }).toEqual({
          id: 1, name: 'pg_mirror', claim: { caller: 1 }, isMirror: true,
        }); // prettier-ignore
      }
      await expect(warehouse.open(admin, 'nowhere')).rejects.toMatchObject({ status: 404 });
    });

    it('opens no connection of a type that is not built (risk: it would read the mirror)', async () => {
      const { rows } = await test.pool.query<{ id: number }>(
        `INSERT INTO warehouse_connections (name, type, dsn_sealed, dsn_masked) VALUES ('later', 'snowflake', 'x', 'x') RETURNING id`,
      );
      const later = `/api/warehouse/connections/${rows[0]!.id}`;
      await test.admin.get(later).expect(200);
      const answers = [
        await test.admin.post(`${later}/test`),
        await test.admin.get(`${later}/tables`),
        await test.admin.get(`${later}/tables/things`),
        await test.admin.put(`${later}/tables/things`).set('Content-Type', 'text/csv').send('a\n1\n'),
        await test.admin.delete(`${later}/tables/things`),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [422, 'connection_type_not_built']));
      const mapping = 'version: 1\nsource: {connection: later}\nnodes: [{id: a, label: A, table: t, key: [a], columns: [{column: a}]}]';
      const { body } = await test.admin.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping }).expect(422);
      expect(body.detail.errors).toEqual([expect.objectContaining({ type: 'not_built_yet', line: 2 })]);
      await test.admin.delete(later).expect(204);
    });
  });
});

const tables = '/api/warehouse/connections/1/tables';

/** Mirror tables with the names of PostgreSQL's own objects. */
describe('names of mirror tables', () => {
  const mappingOf = (table: string) => `
version: 1
nodes:
  - id: role
    label: 角色
    table: ${table}
    key: [rolname]
    columns:
      - {column: rolname, property: 名称, type: string}
      - {column: note, property: 备注, type: string}
`;

  it.each(['pg_roles', 'pg_authid', 'PG_Roles', 'pg_anything'])('%s is refused for an upload', async table => {
    const { body } = await test.admin.put(`${tables}/${table}`).set('Content-Type', 'text/csv').send('rolname,note\na,b\n').expect(422);
    expect(JSON.stringify(body)).toContain('reserved_name');
  });

  it('pg_ begins the name of every relation that a bare name finds before a table of the mirror', async () => {
    const { rows } = await test.pool.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relname !~ '^pg_'`,
    );
    expect(rows).toEqual([]);
  });

  describe('a table pg_roles of an earlier release', () => {
    let graphId: number;
    beforeAll(async () => {
      await upload(test, 'staff', 'rolname,note\ngraph,ours\npg_monitor,ours too\n');
      ({ graphId } = await ingest(test, mappingOf('staff')));
      await test.pool.query('ALTER TABLE mirror.staff RENAME TO pg_roles');
      await test.pool.query(`UPDATE graph_elements SET source_table = 'pg_roles' WHERE graph_id = $1`, [graphId]);
      await test.pool.query('UPDATE ingestion_jobs SET mapping_yaml = $2 WHERE graph_id = $1', [graphId, mappingOf('pg_roles')]);
    });

    it('is not read for source_rows, which say so, and neither is the catalogue', async () => {
      const { body } = await test.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ cypher: "MATCH (r:角色 {名称: 'pg_monitor'}) RETURN r", include: ['source_rows'] })
        .expect(200);
      expect([body.source_rows, body.warnings.join()]).toEqual([[], expect.stringMatching(/pg_roles.*请换一个名称上传/)]);
    });

    it('is refused for a mapping and for a binding, with the way out', async () => {
      const mapped = await test.admin
        .post('/api/ingestion/jobs')
        .send({ graph_id: await aGraph(test), mapping_yaml: mappingOf('pg_roles') })
        .expect(422);
      expect(JSON.stringify(mapped.body)).toContain('upload the table under another name');
      const bound = await test.admin
        .post('/api/metrics')
        .send({ graph_id: graphId, name: 'm', formula: 'COUNT(*)', binding: { relation: { table: 'pg_roles' } } });
      expect([bound.status, JSON.stringify(bound.body)]).toEqual([422, expect.stringContaining('upload the table under another name')]);
    });

    it('can be looked at, and dropped', async () => {
      const { body } = await test.admin.get(`${tables}/pg_roles`).expect(200);
      expect(body.columns.map(({ name }: { name: string }) => name)).toEqual(['rolname', 'note']);
      expect(body.sample).toEqual([
        { rolname: 'graph', note: 'ours' },
        { rolname: 'pg_monitor', note: 'ours too' },
      ]);
      await test.admin.delete(`${tables}/pg_roles?force=true`).expect(204);
    });
  });

  it('a table may have the name of a type or a function, both of which are looked up in the catalogue first', async () => {
    for (const table of ['text', 'numeric', 'date', 'upper', 'int4']) await upload(test, table, 'date,text\n2024-02-29,12\n');
    const graphId = await aGraph(test);
    const sql = `SELECT d.date::text AS "日", d.text::numeric AS "数", upper(CAST(d.text AS text)) AS "文" FROM date d JOIN text USING (date)`;
    const { body } = await test.admin
      .post('/api/metrics')
      .send({
        graph_id: graphId,
        name: 'typed',
        formula: 'SUM(数)',
        binding: { relation: { sql }, dimensions: [{ name: '日', column: '日' }] },
      })
      .expect(201);
    const executed = await test.admin
      .post(`/api/metrics/${body.id}/execute`)
      .send({ dimensions: ['日'] })
      .expect(200);
    expect(executed.body.rows).toEqual([['2024-02-29', '12']]);
  });
});

const path = '/api/warehouse/connections/1/tables';

describe('the data version of a mirror table', () => {
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
    const found = await dataVersions(['seen', 'none'], async (sql, parameters) => {
      const { columns, rows } = await client.query({ claim: { caller: 1 }, sql, parameters, timeoutMs: 5_000, maxRows: 10 });
      return rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
    });
    expect(found).toEqual(await versions.of(['seen']));
    expect([...found.keys()]).toEqual(['seen']);
  });
});
