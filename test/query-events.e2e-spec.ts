import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { endless, readEvents, slow, until } from './support/slow-queries.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let owner: Client;
let graph: TradingGraph;
beforeAll(async () => {
  test = await startTestApp();
  owner = await test.asUser('owner');
  graph = await createTradingGraph(test, owner);
});
afterAll(() => test?.close());

const queryPath = () => `/api/graphs/${graph.id}/query`;
const submit = (body: object, as = owner) => as.post(queryPath()).set('Prefer', 'respond-async').send(body);
const stateOf = async (location: string, as = owner) => (await as.get(location)).body;

async function addViewer(name: string): Promise<Client> {
  const viewer = await test.asUser(name);
  await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: name, role: 'viewer' }).expect(201);
  return viewer;
}

describe('an answer whose reader loses the graph before it comes', () => {
  const asked = { cypher: 'MATCH (n:产品) RETURN count(*) AS leaving' };

  /** Sends a query whose answer takes 2.5 s, and removes the viewer from the graph meanwhile. Access is checked again after two seconds. */
  async function leaving<T>(name: string, ask: (viewer: Client) => Promise<T>): Promise<T> {
    const viewer = await addViewer(name);
    const { body: me } = await viewer.get('/api/auth/me').expect(200);
    const retrieval = test.app.get(RetrievalClient);
    const answer = retrieval.query.bind(retrieval);
    const slowed = jest.spyOn(retrieval, 'query').mockImplementationOnce(async (...call) => {
      await owner.delete(`/api/permissions/graphs/${graph.id}/members/${me.user_id}`).expect(204);
      await sleep(2_500);
      return answer(...call);
    });
    try {
      return await ask(viewer);
    } finally {
      slowed.mockRestore();
    }
  }

  itLong('is the refusal in its place', async () => {
    const { body } = await leaving('leaver-of-answer', viewer => viewer.post(queryPath()).send({ ...asked, limit: 11 }).then()); // prettier-ignore
    expect(body).toMatchObject({ code: 'graph_forbidden' });
    expect(body).not.toHaveProperty('rows');
  });

  itLong('ends as events with access_lost', async () => {
    const { events } = await leaving('leaver-of-events', viewer =>
      readEvents(test, `${queryPath()}/events`, viewer, { body: { ...asked, limit: 12 } }),
    );
    expect(events).toEqual([{ type: 'access_lost', id: '', data: { detail: expect.any(String), code: 'graph_forbidden' } }]);
  });
});

describe('the events of a query', () => {
  it('tell its states and its end, and nothing to who has the end', async () => {
    const { body } = await submit({ cypher: endless(3) }).expect(202);
    const { events, headers } = await readEvents(test, `${body.location}/events`, owner, {
      onEvent: ({ type }) => void (type === 'progress' && owner.delete(body.location).then()),
    });
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(events.map(({ type, data }) => [type, data.status])).toEqual([['progress', 'running'], ['end', 'cancelled']]); // prettier-ignore
    const { status } = await readEvents(test, `${body.location}/events`, owner, { lastId: events[1]!.id });
    expect(status).toBe(204);
    const { events: rest } = await readEvents(test, `${body.location}/events`, owner, { lastId: events[0]!.id });
    expect(rest.map(({ id }) => id)).toEqual([events[1]!.id]);
  });

  itLong('end when their reader loses the graph', async () => {
    const viewer = await addViewer('leaver');
    const { body } = await submit({ cypher: endless(4) }, viewer).expect(202);
    const { body: me } = await viewer.get('/api/auth/me').expect(200);
    const { events } = await readEvents(test, `${body.location}/events`, viewer, {
      onEvent: () => void owner.delete(`/api/permissions/graphs/${graph.id}/members/${me.user_id}`).then(),
    });
    expect(events.at(-1)).toMatchObject({ type: 'access_lost', data: { code: 'graph_forbidden' } });
    await viewer.get(body.location).expect(403);
    await owner.delete(body.location).expect(200);
  });

  itLong('are at most ten at a time', async () => {
    const { body } = await submit({ cypher: endless(5) }).expect(202);
    let begun = 0;
    const watching = Array.from({ length: 10 }, () =>
      readEvents(test, `${body.location}/events`, owner, { onEvent: ({ type }) => void (type === 'progress' && begun++) }),
    );
    await until(() => Promise.resolve(begun === 10));
    const refused = await owner.get(`${body.location}/events`);
    expect([refused.status, refused.body.code]).toEqual([503, 'too_many_watchers']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await owner.delete(body.location).expect(200);
    for (const { events } of await Promise.all(watching)) expect(events.at(-1)!.type).toBe('end');
  });
});

describe('the list of queries', () => {
  it('has one’s own, the newest first, by page, status and kind', async () => {
    const user = await addViewer('lister');
    const asked: number[] = [];
    for (const body of [{ search: 'Chai' }, { cypher: slow(5) }, { search: '华为' }]) {
      asked.unshift((await user.post(queryPath()).send(body).expect(200)).body.query_id);
    }
    const { body: failing } = await submit({ cypher: 'RETURN' }, user).expect(202);
    await until(async () => (await stateOf(failing.location, user)).status === 'failed');
    asked.unshift(failing.query_id);
    const list = async (query = '') => (await user.get(`/api/graphs/${graph.id}/queries${query}`).expect(200)).body;
    const idsOf = ({ items }: { items: { query_id: number }[] }) => items.map(({ query_id: id }) => id);
    // The row of an answer in `queries` is written a moment after the response.
    await until(async () => (await list()).items.length === 4);
    expect(idsOf(await list())).toEqual(asked);
    expect(idsOf(await list('?kind=search'))).toEqual([asked[1], asked[3]]);
    expect(idsOf(await list('?status=failed'))).toEqual([failing.query_id]);
    const pages: number[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`?limit=1${cursor}`);
      pages.push(...idsOf(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pages).toEqual(asked);
    expect((await list()).items[2]).toMatchObject({ request: { cypher: slow(5) }, kind: 'cypher', status: 'succeeded' });
    await user.get(`/api/graphs/${graph.id}/queries?cursor=xx`).expect(422);
    await user.get(`/api/graphs/${graph.id}/queries?status=lost`).expect(422);
    const other = await addViewer('other-lister');
    expect((await other.get(`/api/graphs/${graph.id}/queries`).expect(200)).body.items).toEqual([]);
  });
});
