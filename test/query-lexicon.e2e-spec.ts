import { LexiconRepository } from '../src/queries/lexicon.repository.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth, itLong } from './support/tier.js';

describe('the synonyms of a graph', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  let viewer: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    viewer = await test.asUser('watcher');
    graph = await createTradingGraph(test, owner);
    await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'watcher', role: 'viewer' }).expect(201);
  });
  afterAll(() => test.close());

  const path = () => `/api/graphs/${graph.id}/lexicon`;
  const ask = async (question: string) =>
    (
      await viewer
        .post(`/api/graphs/${graph.id}/query`)
        .send({ question, include: ['plan'] })
        .expect(200)
    ).body;
  const add = (kind: string, name: string, ...synonyms: string[]) => owner.post(path()).send({ entries: [{ kind, name, synonyms }] });

  it.each(
    everyNth(
      [
        ['label', '客户', '主顾', '华东的主顾有多少', [[2]]],
        ['property', '单价', '价格', '价格大于50的产品有多少', [[1]]],
        ['metric', '销售额', '营业额', '2024年的营业额', [['180']]],
        ['name', '华东', '东部', '东部的客户有多少', [[2]]],
        ['name', '饮料', 'drinks', 'How many drinks products?', [[3]]],
      ],
      3,
    ),
  )('name a %s %s: %s answers what was refused before', async (kind, name, synonym, question, rows) => {
    expect((await ask(question)).plan.kind).toBe('search');
    const { body: added } = await add(kind, name, synonym).expect(200);
    expect(added).toEqual({ added: 1, unchanged: 0 });
    const answer = await ask(question);
    expect([
      answer.rows.map((row: unknown[]) => row.map(value => (typeof value === 'string' ? String(Number(value)) : value))),
      answer.cache.status,
    ]).toEqual([rows, 'miss']);
  });

  it('no longer answers from the store once a synonym is gone', async () => {
    await add('label', '供应商', '厂商').expect(200);
    const question = '厂商有多少';
    expect([(await ask(question)).rows, (await ask(question)).cache.status]).toEqual([[[3]], 'hit']);
    const { body } = await owner.get(`${path()}?limit=200`).expect(200);
    const { id } = body.items.find(({ synonym }: { synonym: string }) => synonym === '厂商');
    await owner.delete(`${path()}/${id}`).expect(204);
    await owner.delete(`${path()}/${id}`).expect(404);
    expect((await ask(question)).plan.kind).toBe('search');
  });

  it('are read once for many questions, and anew after a change by any process', async () => {
    const reads = jest.spyOn(test.app.get(LexiconRepository), 'readAll');
    await ask('产品有多少');
    reads.mockClear();
    for (const question of ['产品有多少', '客户有多少', '产品有多少']) await ask(question);
    expect(reads).not.toHaveBeenCalled();
    const insert = `INSERT INTO graph_synonyms (graph_id, kind, name, synonym) VALUES ($1, 'label', '产品', '物件')`;
    await test.pool.query(insert, [graph.id]);
    expect((await ask('物件有多少')).rows).toEqual([[5]]);
    await test.pool.query(`DELETE FROM graph_synonyms WHERE synonym = '物件'`);
    expect((await ask('物件有多少')).plan.kind).toBe('search');
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });

  it('knows countries in the other language without any', async () => {
    expect((await ask('customers in Germany')).rows).toHaveLength((await ask('国家是德国的客户')).rows.length);
    expect((await ask('How many suppliers are from Japan?')).rows).toEqual([[1]]);
  });

  it('adds what a CSV text holds, once', async () => {
    const csv = 'kind,name,synonym\nproperty,单价,售价\nproperty,单价,定价\n';
    expect((await owner.post(path()).send({ csv }).expect(200)).body).toEqual({ added: 2, unchanged: 0 });
    expect(
      (
        await owner
          .post(path())
          .send({ csv: `${csv}label,产品,货品\n` })
          .expect(200)
      ).body,
    ).toEqual({ added: 1, unchanged: 2 });
  });

  it('refuses unknown names, clashes and mistakes with their places, and then adds nothing', async () => {
    const before = (await owner.get(path()).expect(200)).body.items.length;
    const problems = async (body: object) =>
      (await owner.post(path()).send(body).expect(422)).body.detail.errors.map(
        ({ loc, type }: { loc: string[]; type: string }) => `${loc.join('.')} ${type}`,
      );
    const entries = [
      { kind: 'label', name: '客户', synonyms: ['东家', '产品'] },
      { kind: 'label', name: '客护', synonyms: ['东家'] },
    ];
    expect(await problems({ entries })).toEqual(['body.entries.0.synonyms.1 lexicon_clash', 'body.entries.1.synonyms.0 unknown_name']);
    expect(await problems({ csv: 'kind,name,synonym\nlabel,客户,产品\n' })).toEqual(['body.csv.2 lexicon_clash']);
    expect(await problems({})).toEqual(['body.entries one_of']);
    expect((await owner.get(path()).expect(200)).body.items).toHaveLength(before);
    await owner
      .post(path())
      .send({ entries: [{ kind: 'relation', name: '供应', synonyms: ['产品'] }], allow_clashes: true })
      .expect(200);
    const clashing = (await owner.get(`${path()}?limit=200`).expect(200)).body.items.at(-1);
    await owner.delete(`${path()}/${clashing.id}`).expect(204);
  });

  it('is seen by viewers, changed by editors, and noted in the audit', async () => {
    await viewer.get(path()).expect(200);
    await viewer
      .post(path())
      .send({ entries: [{ kind: 'label', name: '客户', synonyms: ['甲方'] }] })
      .expect(403);
    const { body } = await test.admin.get('/api/audit-events?limit=50').expect(200);
    const actions = body.items.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(['lexicon.added', 'lexicon.removed']));
  });

  itLong('has a bound', async () => {
    const lines = (from: number, count: number) => Array.from({ length: count }, (_, i) => `label,订单,单据${from + i}`).join('\n');
    await owner
      .post(path())
      .send({ csv: `kind,name,synonym\n${lines(0, 1_900)}` })
      .expect(200);
    const { body } = await owner
      .post(path())
      .send({ csv: `kind,name,synonym\n${lines(1_900, 101)}` })
      .expect(409);
    expect(body.code).toBe('too_many_synonyms');
    expect((await ask('单据7有多少')).rows).toEqual([[5]]);
  });
});
