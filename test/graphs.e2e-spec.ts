import { dropGraphTables, graphTables } from '../src/database/graph-tables.js';
import { startTestApp, type TestApp } from './support/app.js';
import { itLong } from './support/tier.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('graphs', () => {
  async function graphsWithTables(): Promise<number[]> {
    const { rows } = await test.pool.query<{ id: number }>(
      `SELECT DISTINCT substring(relname FROM '[0-9]+$')::int AS id FROM pg_class WHERE relnamespace = 'graph_data'::regnamespace AND relkind = 'r'`,
    );
    return rows.map(row => row.id);
  }

  it('creates a graph with tables of its own, changes it and deletes all of it', async () => {
    const owner = await test.asUser('owner');
    const { body: graph } = await owner.post('/api/graphs').send({ name: '贸易图谱' }).expect(201);
    expect(graph).toMatchObject({ name: '贸易图谱', owner: 'owner', role: 'owner', version: 0, node_count: 0, edge_count: 0 });
    await test.pool.query(`INSERT INTO ${graphTables(graph.id).nodes} (label, key, display, run_id) VALUES ('客户', 'A', '甲', 1)`);

    const { body: renamed } = await owner.patch(`/api/graphs/${graph.id}`).send({ name: '新名' }).expect(200);
    expect(renamed.name).toBe('新名');

    await owner.delete(`/api/graphs/${graph.id}`).expect(204);
    await owner.get(`/api/graphs/${graph.id}`).expect(404);
    expect(await graphsWithTables()).not.toContain(graph.id);
  });

  it('deletes graphs side by side', async () => {
    const graphs = await Promise.all(Array.from({ length: 12 }, () => test.admin.post('/api/graphs').send({ name: 'g' }).expect(201)));
    await Promise.all(graphs.map(({ body }) => test.admin.delete(`/api/graphs/${body.id}`).expect(204)));
  });

  it('shows a graph to its owner, its members and admins, and answers 403 to others', async () => {
    const [owner, member, stranger] = [await test.asUser('a1'), await test.asUser('a2'), await test.asUser('a3')];
    const { body: graph } = await owner.post('/api/graphs').send({ name: 'g' }).expect(201);
    await test.pool.query("INSERT INTO graph_members (graph_id, user_id, role) SELECT $1, id, 'viewer' FROM users WHERE username = 'a2'", [
      graph.id,
    ]);

    await owner.get(`/api/graphs/${graph.id}`).expect(200);
    await test.admin.get(`/api/graphs/${graph.id}`).expect(200);
    expect((await member.get(`/api/graphs/${graph.id}`).expect(200)).body.role).toBe('viewer');
    expect((await stranger.get(`/api/graphs/${graph.id}`).expect(403)).body.code).toBe('graph_forbidden');
    await member.patch(`/api/graphs/${graph.id}`).send({ name: 'x' }).expect(403);
    await member.delete(`/api/graphs/${graph.id}`).expect(403);
    expect((await stranger.get('/api/graphs').expect(200)).body.items).toEqual([]);
  });

  it('pages through a list without losing or doubling a graph', async () => {
    const user = await test.asUser('pager');
    for (const name of ['1', '2', '3', '4', '5']) await user.post('/api/graphs').send({ name }).expect(201);
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await user.get(`/api/graphs?limit=2${cursor && `&cursor=${cursor}`}`).expect(200);
      seen.push(...body.items.map((graph: { name: string }) => graph.name));
      cursor = body.next_cursor ?? '';
    } while (cursor);
    expect(seen).toEqual(['1', '2', '3', '4', '5']);
  });

  it('deletes a graph at once while it is read, and drops its tables, held by a reader, with the next deletion', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'd' }).expect(201);
    const { body: other } = await test.admin.post('/api/graphs').send({ name: 'e' }).expect(201);
    const reader = await test.pool.connect();
    try {
      await reader.query('BEGIN');
      await reader.query(`SELECT FROM ${graphTables(graph.id).edges} LIMIT 1`);
      await test.admin.delete(`/api/graphs/${graph.id}`).expect(204);
      await test.admin.get(`/api/graphs/${graph.id}`).expect(404);
      expect(await graphsWithTables()).toContain(graph.id);
      // The reader is not disturbed.
      await reader.query(`SELECT FROM ${graphTables(graph.id).nodes} LIMIT 1`);
      await reader.query('COMMIT');
    } finally {
      reader.release();
    }
    await test.admin.delete(`/api/graphs/${other.id}`).expect(204);
    const { rows } = await test.pool.query<{ id: number }>('SELECT id FROM graphs');
    expect((await graphsWithTables()).sort()).toEqual(rows.map(row => row.id).sort());
  });

  it('reads, creates and deletes graphs while a reader and a writer hold the tables of another', async () => {
    const { body: held } = await test.admin.post('/api/graphs').send({ name: 'held' }).expect(201);
    const tables = graphTables(held.id);
    const holder = await test.pool.connect();
    try {
      await holder.query(`BEGIN; SELECT FROM ${tables.edges}; LOCK TABLE ${tables.nodes} IN ACCESS EXCLUSIVE MODE`);
      const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'free' }).expect(201);
      await test.admin.get(`/api/graphs/${graph.id}/nodes/1`).expect(404);
      await test.admin.delete(`/api/graphs/${graph.id}`).expect(204);
      expect(await graphsWithTables()).not.toContain(graph.id);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('does not delete a graph in which a run writes its end, and soon says so', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'written' }).expect(201);
    await test.pool.transaction(async run => {
      await run.query('UPDATE graphs SET version = version + 1 WHERE id = $1', [graph.id]);
      const { body } = await test.admin.delete(`/api/graphs/${graph.id}`).expect(409);
      expect(body.code).toBe('graph_busy');
    });
    await test.admin.delete(`/api/graphs/${graph.id}`).expect(204);
    // The time limit is below ten seconds, because the pool itself waits that long for a lock.
  }, 9_000);

  itLong('answers 404 to a reader of a graph whose tables are being dropped', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'g' }).expect(201);
    await test.pool.query(dropGraphTables(graph.id));
    expect((await test.admin.get(`/api/graphs/${graph.id}/nodes/1`).expect(404)).body.code).toBe('graph_not_found');
    const { body } = await test.admin.post(`/api/graphs/${graph.id}/query`).send({ cypher: 'MATCH (n) RETURN n' }).expect(404);
    expect(body.code).toBe('graph_not_found');
  });

  it('shows a node and its neighbours in both directions', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'n' }).expect(201);
    const tables = graphTables(graph.id);
    const { rows } = await test.pool.query(
      `INSERT INTO ${tables.nodes} (label, key, display, properties, run_id)
       VALUES ('供应商', 'S1', '华南电子', '{}', 1), ('产品', 'P1', '耳机', '{"单价": 299, "条码": 12345678901234567890}', 1), ('订单', 'O1', 'O1', '{}', 1) RETURNING id`,
    );
    const [supplier, product, order] = rows.map(row => Number(row.id));
    await test.pool.query(
      `INSERT INTO ${tables.edges} (type, source_id, target_id, key, run_id) VALUES ('供应', $1, $2, '', 1), ('包含', $3, $2, '', 1)`,
      [supplier, product, order],
    );
    const { body: node } = await test.admin.get(`/api/graphs/${graph.id}/nodes/${product}`).expect(200);
    expect(node).toEqual({
      id: product,
      label: '产品',
      labels: ['产品'],
      key: 'P1',
      display: '耳机',
      properties: { 单价: 299, 条码: '12345678901234567890' },
    });
    const { body: neighbours } = await test.admin.get(`/api/graphs/${graph.id}/nodes/${product}/neighbors`).expect(200);
    expect(neighbours.items.map((item: any) => [item.type, item.direction, item.node.display])).toEqual([
      ['供应', 'in', '华南电子'],
      ['包含', 'in', 'O1'],
    ]);
    // A node of another graph is not found in this one.
    const { body: other } = await test.admin.post('/api/graphs').send({ name: 'other' }).expect(201);
    for (const absent of [`${graph.id}/nodes/999999999`, `${graph.id}/nodes/x`, `${other.id}/nodes/${product}`]) {
      await test.admin.get(`/api/graphs/${absent}`).expect(404);
      await test.admin.get(`/api/graphs/${absent}/neighbors`).expect(404);
    }
  });

  it('refuses the properties of one node or edge beyond half a megabyte, and shows the neighbours of such a node', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'large' }).expect(201);
    const tables = graphTables(graph.id);
    const { rows } = await test.pool.query(
      `INSERT INTO ${tables.nodes} (label, key, display, properties, run_id)
       VALUES ('文', '1', '1', jsonb_build_object('t', repeat('x', 524300)), 1), ('文', '2', '2', jsonb_build_object('t', repeat('x', 524200)), 1),
              ('文', '3', '3', '{}', 1) RETURNING id`,
    );
    const [large, small, digits] = rows.map(row => Number(row.id));
    await test.pool.query(
      `INSERT INTO ${tables.edges} (type, source_id, target_id, key, properties, run_id)
       VALUES ('见', $1, $2, '', '{}', 1), ('见', $3, $2, '', jsonb_build_object('t', repeat('x', 524300)), 1)`,
      [large, small, digits],
    );
    const read = (path: string, status: number) => test.admin.get(`/api/graphs/${graph.id}/nodes/${path}`).expect(status);
    const tooLarge = { code: 'answer_too_large', context: { limit_bytes: 524_288 } };
    expect((await read(`${large}`, 422)).body).toMatchObject(tooLarge);
    expect((await read(`${digits}/neighbors`, 422)).body).toMatchObject(tooLarge);
    expect((await read(`${small}`, 200)).body.properties.t).toHaveLength(524_200);
    expect((await read(`${large}/neighbors`, 200)).body.items).toMatchObject([{ type: '见', node: { key: '2' } }]);
  });

  it.each([
    ['9007199254740993', 404],
    ['2147483648', 404],
    ['-1', 404],
    ['0', 404],
    ['1e3', 422],
    ['1.0', 422],
    ['0x1', 422],
    ['%201', 422],
    ['%EF%BC%91', 422],
  ])('answers the id %s in a path with %s', async (id, status) => {
    await test.admin.get(`/api/graphs/${id}`).expect(status);
  });

  it('reads a percent-encoded id as the id itself', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: 'i' }).expect(201);
    const encoded = String(graph.id).replace(/\d/g, '%3$&');
    expect((await test.admin.get(`/api/graphs/${encoded}`).expect(200)).body.id).toBe(graph.id);
  });
});
