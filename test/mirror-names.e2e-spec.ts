import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, ingest, upload } from './support/ingestion.js';

const tables = '/api/warehouse/connections/1/tables';

/** Tables of the mirror with names of PostgreSQL's own objects. */
describe('names of mirror tables', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

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

    it('is what source_rows reads, and not the catalogue', async () => {
      const { body } = await test.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ cypher: "MATCH (r:角色 {名称: 'pg_monitor'}) RETURN r", include: ['source_rows'] })
        .expect(200);
      expect(body.source_rows).toEqual([{ citation: 0, row: { rolname: 'pg_monitor', note: 'ours too' } }]);
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
      await test.admin.delete(`${tables}/pg_roles`).expect(204);
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
