import { type Client, keyClient, startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, ingest, runToEnd, upload } from './support/ingestion.js';
import { until } from './support/slow-queries.js';

/** Problems with stored answers that users of other graph services reported. Each title ends with the number of the report. */
describe('stored answers', () => {
  let test: TestApp;
  let admin: Client;
  beforeAll(async () => {
    test = await startTestApp();
    admin = test.admin;
  });
  afterAll(() => test?.close());

  const mapping = (table: string) => `version: 1
nodes: [{id: e, label: 房产, table: ${table}, key: [id], display: name, columns: [{column: id, type: int}, {column: name}]}]`;
  const ask = async (graphId: number, body: object, as = admin) =>
    (await as.post(`/api/graphs/${graphId}/query`).send(body).expect(200)).body;
  const names = ({ rows }: { rows: { display: string }[][] }) => rows.map(([node]) => node!.display).sort();

  /** Reported: an entry is deleted from a loaded file, and the same question still counts it. */
  it('do not outlive a change of their source, asked at once, later, or under a name (HKUDS/LightRAG#1041)', async () => {
    await upload(test, 'estates', 'id,name\n1,House\n2,Apartment\n3,Room\n');
    const { graphId, jobId } = await ingest(test, mapping('estates'));
    const question = { question: '有多少个房产？' };
    const list = { cypher: 'MATCH (e:房产) RETURN e ORDER BY e.id' };
    const path = `/api/graphs/${graphId}/saved-queries`;
    const { body: saved } = await admin.post(path).send({ name: 'all', request: list }).expect(201);
    const later = async () => {
      const { body } = await admin.post(`/api/graphs/${graphId}/query`).set('Prefer', 'respond-async, wait=20').send(list).expect(200);
      return body;
    };
    const all = async () => [
      (await ask(graphId, question)).rows,
      names(await ask(graphId, list)),
      names(await later()),
      names((await admin.post(`${path}/${saved.id}/run`).send({}).expect(200)).body),
    ];
    const three = ['Apartment', 'House', 'Room'];
    for (let time = 0; time < 2; time++) expect(await all()).toEqual([[[3]], three, three, three]);
    expect((await later()).cache.status).toBe('hit');
    await upload(test, 'estates', 'id,name\n1,House\n2,Apartment\n');
    await runToEnd(test, jobId);
    const two = ['Apartment', 'House'];
    expect(await all()).toEqual([[[2]], two, two, two]);
  });

  /** Reported: the component that answers is exchanged, and the same question still gets the former answer. */
  it('do not outlive a change of what answers (HKUDS/LightRAG#945)', async () => {
    await upload(test, 'sales', 'id,name,amount\n1,a,10\n2,b,20\n', 'id:int,amount:int');
    const { graphId } = await ingest(test, mapping('sales'));
    const question = { question: '成交额是多少？', include: ['plan'] };
    expect((await ask(graphId, question)).plan.kind).not.toBe('metric');
    await until(async () => (await ask(graphId, question)).cache.status === 'hit');
    const metric = { graph_id: graphId, name: '成交额', formula: 'SUM(amount)', binding: { relation: { table: 'sales' } } };
    const { body: defined } = await admin.post('/api/metrics').send(metric).expect(201);
    const asked = await ask(graphId, question);
    expect([asked.plan.kind, asked.rows]).toEqual(['metric', [['30']]]);
    await admin.patch(`/api/metrics/${defined.id}`).send({ formula: 'MAX(amount)' }).expect(200);
    expect((await ask(graphId, question)).rows).toEqual([[20]]);
  });

  /** Reported: a question to one data set is answered with content of other data sets, even of other tenants. */
  it('come from the graph that was asked, for those who may read it (topoteretes/cognee#3520)', async () => {
    await upload(test, 'ours', 'id,name\n1,eldaa of ours\n');
    await upload(test, 'theirs', 'id,name\n1,eldaa of theirs\n');
    const { graphId: ours } = await ingest(test, mapping('ours'));
    const { graphId: theirs } = await ingest(test, mapping('theirs'));
    const reader = await test.asUser('reader');
    await admin.post(`/api/permissions/graphs/${ours}/members`).send({ username: 'reader', role: 'viewer' }).expect(201);
    const { body: key } = await reader
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [ours] })
      .expect(201);
    const search = { search: 'eldaa' };
    const foreign = await ask(theirs, search);
    expect(names(foreign)).toEqual(['eldaa of theirs']);
    for (const as of [reader, keyClient(test.url, key.raw_key)]) {
      expect(names(await ask(ours, search, as))).toEqual(['eldaa of ours']);
      await as.post(`/api/graphs/${theirs}/query`).send(search).expect(403);
      await as.post(`/api/graphs/${theirs}/query`).set('Prefer', 'respond-async').send(search).expect(403);
      await as.get(`/api/graphs/${theirs}/queries/${foreign.query_id}`).expect(403);
      await as.get(`/api/graphs/${ours}/queries/${foreign.query_id}`).expect(404);
      await as.get(`/api/graphs/${theirs}/queries`).expect(403);
    }
  });

  /** Reported: a query names its tenant and finds entries of that tenant, but the content of the answer comes from the default tenant. */
  it('are of the graph that was asked in all their parts (HKUDS/LightRAG#2904)', async () => {
    const tenants = await Promise.all(
      ['tenant_a', 'tenant_b'].map(async name => {
        await upload(test, name, `id,name\n1,house of ${name}\n2,flat of ${name}\n`);
        return { name, graphId: (await ingest(test, mapping(name))).graphId };
      }),
    );
    const include = ['plan', 'graph', 'source_rows'];
    const bodies = [
      { question: '有哪些房产？', include },
      { search: 'house', include },
      { cypher: 'MATCH (e:房产) RETURN e', include },
    ];
    for (const { name, graphId } of tenants)
      for (const body of bodies) {
        const answer = await ask(graphId, body);
        const { body: kept } = await admin.get(`/api/graphs/${graphId}/queries/${answer.query_id}`).expect(200);
        const other = tenants.find(tenant => tenant.name !== name)!;
        for (const part of [JSON.stringify(answer), JSON.stringify(kept)]) {
          expect(part).toContain(`of ${name}`);
          expect(part).not.toContain(other.name);
        }
      }
  });

  /** Reported: a service with its default settings lets anybody who reaches its port read, change and delete. */
  it('are given, listed, followed, saved and cancelled for nobody without a credential (getzep/graphiti#1716)', async () => {
    await upload(test, 'closed', 'id,name\n1,House\n');
    const { graphId } = await ingest(test, mapping('closed'));
    const list = { cypher: 'MATCH (e:房产) RETURN e' };
    const { query_id: id } = await ask(graphId, list);
    const graph = `/api/graphs/${graphId}`;
    const { body: saved } = await admin.post(`${graph}/saved-queries`).send({ name: 'all', request: list }).expect(201);
    const { anonymous } = test;
    for (const refused of [
      anonymous.post(`${graph}/query`).send(list),
      anonymous.post(`${graph}/query/events`).send(list),
      anonymous.get(`${graph}/queries`),
      anonymous.get(`${graph}/queries/${id}`),
      anonymous.get(`${graph}/queries/${id}/events`),
      anonymous.delete(`${graph}/queries/${id}`),
      anonymous.get(`${graph}/saved-queries`),
      anonymous.post(`${graph}/saved-queries`).send({ name: 'theirs', request: list }),
      anonymous.post(`${graph}/saved-queries/${saved.id}/run`).send({}),
      anonymous.delete(`${graph}/saved-queries/${saved.id}`),
      anonymous.get(`${graph}/lexicon`),
      anonymous.delete(graph),
    ])
      await refused.expect(401).expect('WWW-Authenticate', /^Bearer/);
    expect(names(await ask(graphId, list))).toEqual(['House']);
  });

  /** Reported: a question that found nothing still finds nothing after data was loaded. */
  it('do not outlive the first load, nor a mapping that gives names (HKUDS/LightRAG#755)', async () => {
    await upload(test, 'houses', 'id,name\n1,House\n');
    const graphId = await aGraph(test);
    const list = { cypher: 'MATCH (e:楼盘) RETURN e' };
    const [question, search] = [{ question: '有多少个房产？' }, { search: 'House' }];
    for (const body of [list, search]) expect((await ask(graphId, body)).rows).toEqual([]);
    const jobId = await aJob(test, graphId, mapping('houses'));
    await runToEnd(test, jobId);
    expect(names(await ask(graphId, search))).toEqual(['House']);
    expect((await ask(graphId, question)).rows).toEqual([[1]]);
    expect((await ask(graphId, list)).rows).toEqual([]);
    const named = mapping('houses').replace('label: 房产,', 'label: 房产, aliases: [楼盘],');
    await admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: named }).expect(200);
    await runToEnd(test, jobId);
    expect(names(await ask(graphId, list))).toEqual(['House']);
  });

  /** Reported: stored results of a document come back after it is deleted, corrected and loaded again. */
  it('do not come back with a graph that is deleted and made anew (HKUDS/LightRAG#2442)', async () => {
    const list = { cypher: 'MATCH (e:房产) RETURN e' };
    await upload(test, 'mended', 'id,name\n1,Hous\n');
    const { graphId: former } = await ingest(test, mapping('mended'));
    await ask(former, list);
    expect((await ask(former, list)).cache.status).toBe('hit');
    const { body: late } = await admin
      .post(`/api/graphs/${former}/query`)
      .set('Prefer', 'respond-async')
      .send({ ...list, cache: 'refresh' });
    await admin.delete(`/api/graphs/${former}`).expect(204);
    await upload(test, 'mended', 'id,name\n1,House\n');
    const { graphId } = await ingest(test, mapping('mended'));
    const { rows, cache } = await ask(graphId, list);
    expect([names({ rows }), cache.status]).toEqual([['House'], 'miss']);
    await admin.post(`/api/graphs/${former}/query`).send(list).expect(404);
    await admin.get(`/api/graphs/${former}/queries/${late.query_id}`).expect(404);
    for (const table of ['queries', 'query_runs']) {
      const { rows: left } = await test.pool.query(`SELECT FROM ${table} WHERE graph_id = $1`, [former]);
      expect([table, left]).toEqual([table, []]);
    }
  });

  /** Reported: a setting that one call makes for its group is used by a concurrent call for another group. */
  it('come from the graph that was asked, when many are asked at once (getzep/graphiti#1676)', async () => {
    const graphs = await Promise.all(
      ['east', 'west'].map(async name => {
        await upload(test, name, `id,name\n1,eldaa of ${name}\n`);
        return { name, graphId: (await ingest(test, mapping(name))).graphId };
      }),
    );
    const asked = await Promise.all(
      Array.from({ length: 10 }, (_, i) => i).flatMap(i =>
        graphs.flatMap(({ name, graphId }) =>
          [{ search: 'eldaa' }, { cypher: `MATCH (e:房产) RETURN e LIMIT ${1 + (i % 3)}` }].map(async body => [
            name,
            names(await ask(graphId, body)),
          ]),
        ),
      ),
    );
    expect(asked).toHaveLength(40);
    for (const [name, found] of asked) expect(found).toEqual([`eldaa of ${name as string}`]);
  });

  /** Reported: the stored answer of a follow-up question is reused for the same words alone, or after another question. */
  it('are not shared by questions that follow different ones (HKUDS/LightRAG#3510)', async () => {
    await upload(test, 'towns', 'id,name\n1,East\n2,West\n');
    const { graphId } = await ingest(test, mapping('towns'));
    const [east, west] = await Promise.all(['East', 'West'].map(question => ask(graphId, { question })));
    const id = async (context?: object) =>
      (await ask(graphId, { question: 'what is its id', ...(context && { context }) })).rows.at(-1)?.at(-1);
    for (let time = 0; time < 2; time++) {
      expect(await id({ query_id: east.query_id })).toBe(1);
      expect(await id({ query_id: west.query_id })).toBe(2);
      expect(await id({ question: 'East' })).toBe(1);
      // Without a context, the word `its` has no meaning.
      expect((await ask(graphId, { question: 'what is its id' })).warnings[0]).toMatch(/^Not answered/);
    }
  });

  it('are none of a query that failed: it is tried again each time', async () => {
    await upload(test, 'few', 'id,name\n1,a\n');
    const { graphId } = await ingest(test, mapping('few'));
    const cypher = 'MATCH (e:房产) RETURN e.id / $by AS n';
    const send = (by: number) => admin.post(`/api/graphs/${graphId}/query`).set('Prefer', 'respond-async').send({ cypher: `UNWIND [1] AS i ${cypher}`, parameters: { by } }); // prettier-ignore
    const { body: first } = await send(0).expect(202);
    await until(async () => (await admin.get(first.location)).body.status === 'failed');
    const { body: second } = await send(0).expect(202);
    expect(second.query_id).not.toBe(first.query_id);
    await until(async () => (await admin.get(second.location)).body.status === 'failed');
    const { rows } = await test.pool.query('SELECT FROM queries WHERE graph_id = $1', [graphId]);
    expect(rows).toEqual([]);
  });

  it('are given by their id only while their reader may execute the metric', async () => {
    const analyst = await test.asUser('analyst');
    await upload(test, 'income', 'id,name,amount\n1,a,10\n', 'id:int,amount:int');
    const { graphId } = await ingest(test, mapping('income'));
    const { body: me } = await analyst.get('/api/auth/me').expect(200);
    await admin.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'analyst', role: 'editor' }).expect(201);
    const metric = { graph_id: graphId, name: '收入', formula: 'SUM(amount)', binding: { relation: { table: 'income' } } };
    const { body: defined } = await admin.post('/api/metrics').send(metric).expect(201);
    const question = { question: '收入是多少？', include: ['plan'] };
    const { body } = await analyst.post(`/api/graphs/${graphId}/query`).set('Prefer', 'respond-async').send(question).expect(202);
    await until(async () => (await analyst.get(body.location)).status === 200);
    const { body: answer } = await analyst.get(body.location).expect(200);
    expect([answer.rows, typeof answer.plan.sql]).toEqual([[['10']], 'string']);
    await admin.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'analyst', role: 'viewer' });
    await admin.patch(`/api/permissions/graphs/${graphId}/members/${me.user_id}`).send({ role: 'viewer' });
    const { body: members } = await admin.get(`/api/permissions/graphs/${graphId}/members`).expect(200);
    expect(members.items.find((member: any) => member.username === 'analyst').role).toBe('viewer');
    const { body: less } = await analyst.get(body.location).expect(200);
    expect([less.rows, less.plan.sql]).toEqual([[['10']], undefined]);
    await admin.delete(`/api/metrics/${defined.id}`).expect(204);
    expect((await analyst.get(body.location)).status).toBe(404);
  });
});
