import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';

describe('saved queries', () => {
  let test: TestApp;
  let owner: Client;
  let viewer: Client;
  let graph: TradingGraph;
  let path: string;
  beforeAll(async () => {
    test = await startTestApp();
    [owner, viewer] = [await test.asUser('owner'), await test.asUser('viewer')];
    graph = await createTradingGraph(test, owner);
    await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'viewer', role: 'viewer' }).expect(201);
    path = `/api/graphs/${graph.id}/saved-queries`;
  });
  afterAll(() => test?.close());

  const dear = { cypher: 'MATCH (p:产品) WHERE p.单价 > $min RETURN count(p) AS n', parameters: { min: 18 } };
  const save = async (as: Client, name: string, request: object = dear) => (await as.post(path).send({ name, request }).expect(201)).body;

  it('are run with their parameters or with others, and share the stored answers', async () => {
    const { id } = await save(viewer, 'dear');
    const run = async (body: object) => (await viewer.post(`${path}/${id}/run`).send(body).expect(200)).body;
    const first = await run({});
    expect([first.rows, first.cache.status]).toEqual([[[2]], 'miss']);
    expect((await viewer.post(`${path}/${id}/run`).expect(200)).body.rows).toEqual([[2]]);
    expect((await run({ parameters: { min: 50 } })).rows).toEqual([[1]]);
    const { body: asked } = await owner.post(`/api/graphs/${graph.id}/query`).send(dear).expect(200);
    expect([asked.cache.status, asked.query_id]).toEqual(['hit', first.query_id]);
    const other = { ...dear, parameters: { min: 1 } };
    const { id: slowId } = await save(viewer, 'later', other);
    const { body: state } = await viewer.post(`${path}/${slowId}/run`).set('Prefer', 'respond-async').send({}).expect(202);
    expect(state).toMatchObject({ kind: 'cypher', request: other });
    const { id: search } = await save(viewer, 'chai', { search: 'Chai' });
    expect((await viewer.post(`${path}/${search}/run`).send({}).expect(200)).body.rows[0][0].display).toBe('Chai');
    const { body: refused } = await viewer.post(`${path}/${search}/run`).send({ parameters: {} }).expect(422);
    expect(refused.detail.errors[0]).toMatchObject({ loc: ['body', 'parameters'], type: 'no_effect' });
  });

  it('keep the numbers of their parameters as they were sent', async () => {
    const json = (to: string, text: string) => owner.post(to).set('Content-Type', 'application/json').send(text);
    const cypher = 'RETURN 7 / $x AS q, $y AS y';
    const { body } = await json(
      path,
      `{"name": "exact", "request": {"cypher": "${cypher}", "parameters": {"x": 2.0, "y": 9007199254740993}}}`,
    );
    const run = async (text: string) => (await json(`${path}/${body.id}/run`, text).expect(200)).body.rows;
    expect(await run('{}')).toEqual([[3.5, '9007199254740993']]);
    expect(await run('{"parameters": {"x": 2}}')).toEqual([[3, '9007199254740993']]);
    expect(await run('{"parameters": {"y": 1.0}}')).toEqual([[3.5, 1]]);
    expect(body.request).toEqual({ cypher, parameters: { x: 2, y: '9007199254740993' } });
    await owner.delete(`${path}/${body.id}`).expect(204);
  });

  it('are changed, listed by page and deleted', async () => {
    const user = await test.asUser('keeper');
    await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'keeper', role: 'viewer' }).expect(201);
    const ids = [(await save(user, 'a')).id, (await save(user, 'b')).id];
    const { body } = await user.patch(`${path}/${ids[0]}`).send({ name: 'c', description: 'the dear ones' }).expect(200);
    expect(body).toMatchObject({ id: ids[0], name: 'c', description: 'the dear ones', request: dear });
    await user
      .patch(`${path}/${ids[0]}`)
      .send({ request: { search: 'x' } })
      .expect(200);
    expect((await user.get(`${path}/${ids[0]}`).expect(200)).body).toMatchObject({ name: 'c', request: { search: 'x' } });
    const { body: first } = await user.get(`${path}?limit=1`).expect(200);
    const { body: second } = await user.get(`${path}?limit=1&cursor=${first.next_cursor}`).expect(200);
    expect([first, second].map(({ items }) => items[0].id)).toEqual(ids);
    expect(second.next_cursor).toBeNull();
    await user.delete(`${path}/${ids[0]}`).expect(204);
    expect((await user.get(`${path}/${ids[0]}`).expect(404)).body.code).toBe('saved_query_not_found');
    await user.delete(`${path}/${ids[0]}`).expect(404);
  });

  it('are their user’s alone', async () => {
    const { id } = await save(viewer, 'mine');
    for (const as of [owner, test.admin]) {
      for (const request of [
        as.get(`${path}/${id}`),
        as.patch(`${path}/${id}`).send({ name: 'x' }),
        as.delete(`${path}/${id}`),
        as.post(`${path}/${id}/run`).send({}),
      ]) {
        expect((await request.expect(404)).body.code).toBe('saved_query_not_found');
      }
      expect((await as.get(path).expect(200)).body.items).toEqual([]);
    }
    const { body: other } = await owner.post('/api/graphs').send({ name: 'other' }).expect(201);
    await test.admin.get(`/api/graphs/${other.id}/saved-queries/${id}`).expect(404);
    await (await test.asUser('stranger')).get(`${path}/${id}`).expect(403);
  });

  it('have names of their own, and requests that could be asked', async () => {
    await save(viewer, 'taken');
    expect((await viewer.post(path).send({ name: 'taken', request: dear }).expect(409)).body.code).toBe('saved_query_name_taken');
    const { id } = await save(viewer, 'free');
    expect((await viewer.patch(`${path}/${id}`).send({ name: 'taken' }).expect(409)).body.code).toBe('saved_query_name_taken');
    await save(owner, 'taken');
    const refuse = async (request: object, status: number) => (await viewer.post(path).send({ name: 'bad', request }).expect(status)).body;
    expect((await refuse({}, 400)).code).toBe('one_query_kind');
    expect((await refuse({ search: 'x', limit: 9_999 }, 422)).detail.errors[0]).toMatchObject({
      loc: ['body', 'request', 'limit'],
      type: 'too_large',
    });
    await refuse({ cypher: 1 }, 422);
    await refuse({ cypher: 'MATCH (n RETURN n' }, 400);
    await refuse({ ...dear, parameters: { text: 'x'.repeat(60_000) } }, 422);
  });

  it('are bounded for a user and for a graph', async () => {
    const fill = (user: string, from: number, to: number) =>
      test.pool.query(
        `INSERT INTO saved_queries (graph_id, user_id, name, request) SELECT $1, u.id, 'filled ' || n, '{"search": "x"}'
         FROM users u, generate_series($3::int, $4) n WHERE u.username = $2`,
        [graph.id, user, from, to],
      );
    await fill('viewer', 1, 200);
    const { body } = await viewer.post(path).send({ name: 'more', request: dear }).expect(409);
    expect(body).toMatchObject({ code: 'too_many_saved_queries', context: { most: 200 } });
    await fill('admin', 1, 1_780);
    await fill('owner', 1, 20);
    expect((await owner.post(path).send({ name: 'more', request: dear }).expect(409)).body.context).toEqual({ most: 2_000 });
    // The graph is full, but a member with few saved queries may still save one.
    await test.pool.query(
      `DELETE FROM saved_queries WHERE user_id = (SELECT id FROM users WHERE username = 'viewer') AND name !~ '^filled .$'`,
    );
    await fill('admin', 1_781, 2_000);
    await save(viewer, 'in my share');
  });
});
