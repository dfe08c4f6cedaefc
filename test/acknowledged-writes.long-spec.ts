import { KillWorld } from './kills/kill-world.js';
import { Dice } from './support/dice.js';

const kills = Number(process.env.KILLS ?? 12);
const seed = Number(process.env.KILLS_SEED ?? 20_260_103);
const writers = 4;
/** Codes of refusals after which the write may nevertheless have taken effect. */
const openEnds = ['database_unavailable'];
/** Codes of refusals that happen without a kill: if deletions are lost, a quota is reached. */
const expected = ['too_many_saved_queries'];

type Outcome = 'acknowledged' | 'refused' | 'unknown';
type Request = [method: string, route: string, body?: object | string];

/** A kind of records that a request creates under a unique name. */
interface Kind {
  create: (name: string) => Request;
  /** Route of the record. `field` is the field of the answer that has its name. */
  find: (id: number) => string;
  field: string;
  table: string;
  /** The share of the records that is deleted at once. Quotas limit the number of the others. */
  deleted: number;
}

const dice = new Dice(seed);
let world: KillWorld;
let graphId: number;
let jobId: number;
/** Refusals that the kills do not explain. */
const unexpected: string[] = [];
const outcomes = new Map<string, number>();
let acknowledged = 0;

const mapping = 'version: 1\nnodes: [{id: a, label: A, table: rows, key: [id], columns: [{column: id}]}]';
const kinds: Record<string, Kind> = {
  graph: { create: name => ['POST', '/graphs', { name }], find: id => `/graphs/${id}`, field: 'name', table: 'graphs', deleted: 0.2 },
  metric: {
    create: name => ['POST', '/metrics', { graph_id: graphId, name, formula: 'COUNT(*)' }],
    find: id => `/metrics/${id}`,
    field: 'name',
    table: 'metrics',
    deleted: 0.2,
  },
  connection: {
    create: name => ['POST', '/warehouse/connections', { name, type: 'pg_mirror' }],
    find: id => `/warehouse/connections/${id}`,
    field: 'name',
    table: 'warehouse_connections',
    deleted: 0.2,
  },
  user: {
    create: username => ['POST', '/users', { username }],
    find: id => `/users/${id}`,
    field: 'username',
    table: 'users',
    deleted: 0.2,
  },
  'saved query': {
    create: name => ['POST', `/graphs/${graphId}/saved-queries`, { name, request: { search: name } }],
    find: id => `/graphs/${graphId}/saved-queries/${id}`,
    field: 'name',
    table: 'saved_queries',
    deleted: 0.95,
  },
};

beforeAll(async () => {
  world = await KillWorld.start({});
  await world.must('PUT', '/warehouse/connections/1/tables/rows', 'id\n1\n');
  graphId = (await world.must('POST', '/graphs', { name: 'the graph of all' })).id;
  jobId = (await world.must('POST', '/ingestion/jobs', { graph_id: graphId, mapping_yaml: mapping })).id;
}, 240_000);

afterAll(async () => {
  console.log([...outcomes].sort().map(([name, count]) => `${name}: ${count}`).join('\n')); // prettier-ignore
  await world?.remove();
});

function note(outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

/** Sends a write to one of the processes, and classifies its answer. */
async function write([method, route, body]: Request, headers = {}): Promise<{ outcome: Outcome; body: any; code: string }> {
  const sent = await world.send(dice.of([0, 1] as const), method, route, body, headers);
  const code: string = sent === null ? 'lost' : (sent.body?.code ?? String(sent.status));
  const outcome = sent === null || openEnds.includes(code) ? 'unknown' : sent.status < 300 ? 'acknowledged' : 'refused';
  if (outcome === 'acknowledged') acknowledged++;
  else if (sent && !expected.includes(code) && (sent.status < 500 || sent.retryAfter === null))
    unexpected.push(`${method} ${route}: ${JSON.stringify(sent)}`);
  note(`${method} ${route.replace(/\d+/g, 'N')} ${code}`);
  return { outcome, body: sent?.body, code };
}

/** One of several clients. `step` makes a request and is repeated until the kills are over; `check` then verifies all earlier steps. */
interface Writer {
  step(): Promise<void>;
  check(): Promise<void>;
}

/** Creates records of one kind, each with a single request, and deletes some of them. */
class Creator implements Writer {
  private readonly made = new Map<string, { outcome: Outcome; id?: number; isDeleted?: Outcome }>();
  constructor(private readonly kind: Kind, private readonly prefix: string) {} // prettier-ignore

  async step(): Promise<void> {
    const name = `${this.prefix}-${this.made.size}`;
    const { outcome, body } = await write(this.kind.create(name));
    const record = { outcome, id: body?.id as number, isDeleted: undefined as Outcome | undefined };
    this.made.set(name, record);
    if (outcome === 'acknowledged' && dice.chance(this.kind.deleted))
      record.isDeleted = (await write(['DELETE', this.kind.find(record.id)])).outcome;
  }

  async check(): Promise<void> {
    const { field, table, find } = this.kind;
    const rows = await world.sql<{ name: string; n: number }>(
      `SELECT ${field} AS name, count(*)::int AS n FROM ${table} WHERE ${field} LIKE $1 GROUP BY 1`,
      [`${this.prefix}-%`],
    );
    const counts = new Map(rows.map(({ name, n }) => [name, n]));
    for (const [name, { outcome, id, isDeleted }] of this.made) {
      const least = outcome === 'acknowledged' && (isDeleted === undefined || isDeleted === 'refused') ? 1 : 0;
      const most = outcome === 'refused' || isDeleted === 'acknowledged' ? 0 : 1;
      const n = counts.get(name) ?? 0;
      expect({ name, outcome, isDeleted, isRight: n >= least && n <= most }).toEqual({ name, outcome, isDeleted, isRight: true });
      if (least === 1) expect(await world.must('GET', find(id!))).toMatchObject({ [field]: name });
    }
  }
}

/** Creates graphs with an Idempotency-Key, and repeats each request until its outcome is known. */
class Repeater implements Writer {
  /** By number of the graph: its id; null if the graph was created but the answer was lost. */
  private readonly ids: (number | null)[] = [];
  async step(): Promise<void> {
    const name = `repeated-${this.ids.length}`;
    const sent = await world.send(dice.of([0, 1] as const), 'POST', '/graphs', { name }, { 'Idempotency-Key': name });
    const code = sent?.body?.code as string | undefined;
    if (sent?.status === 201) this.ids.push(sent.body.id as number);
    else if (code === 'idempotency_answer_lost') this.ids.push(null);
    else if (code === 'idempotency_key_in_use') await this.endLease();
    else if (sent && sent.retryAfter === null) unexpected.push(`keyed: ${JSON.stringify(sent)}`);
  }

  /** Ends the lease of keys whose process died. Otherwise such a key stays in use for some minutes. */
  private async endLease(): Promise<void> {
    await world.sql(
      'UPDATE idempotency_keys SET under_way_until = now(), expires_at = CASE WHEN committed THEN expires_at ELSE now() END WHERE status IS NULL',
    );
  }

  async check(): Promise<void> {
    const rows = await world.sql<{ name: string; ids: number[] }>(
      `SELECT name, array_agg(id::int) AS ids FROM graphs WHERE name LIKE 'repeated-%' GROUP BY 1`,
    );
    const made = new Map(rows.map(({ name, ids }) => [name, ids]));
    for (const [index, id] of this.ids.entries()) expect(made.get(`repeated-${index}`)).toEqual([id ?? expect.any(Number)]);
    // The last request may have been under way when the writer stopped, so its graph may or may not exist.
    expect(made.get(`repeated-${this.ids.length}`) ?? []).toHaveLength(made.has(`repeated-${this.ids.length}`) ? 1 : 0);
  }
}

/** Replaces a table, and adds rows to another. */
class Uploader implements Writer {
  private count = 0;
  private possible = new Set(['none']);
  private readonly added: Outcome[] = [];
  async step(): Promise<void> {
    const value = String(++this.count);
    const { outcome } = await write(['PUT', '/warehouse/connections/1/tables/replaced', `v\n${value}\n`]);
    if (outcome === 'acknowledged') this.possible = new Set([value]);
    else if (outcome === 'unknown') this.possible.add(value);
    const line = await write(['PUT', '/warehouse/connections/1/tables/added?mode=append', `v\n${this.added.length}\n`]);
    this.added.push(line.outcome);
  }

  async check(): Promise<void> {
    const [replaced] = await world.sql<{ v: string }>('SELECT string_agg(v::text, $1) AS v FROM mirror.replaced', [' ']);
    expect([...this.possible]).toContain(replaced!.v);
    const rows = await world.sql<{ v: number; n: number }>('SELECT v::int, count(*)::int AS n FROM mirror.added GROUP BY 1');
    const counts = new Map(rows.map(({ v, n }) => [v, n]));
    const wrong = this.added.filter((outcome, v) => (outcome === 'unknown' ? (counts.get(v) ?? 0) > 1 : (counts.get(v) ?? 0) !== Number(outcome === 'acknowledged'))); // prettier-ignore
    expect(wrong).toEqual([]);
  }
}

/** Starts runs and asynchronous queries, which are answered before they end. */
class Starter implements Writer {
  private readonly started: string[] = [];
  private count = 0;
  async step(): Promise<void> {
    const run = await world.send(dice.of([0, 1] as const), 'POST', `/ingestion/jobs/${jobId}/run`);
    if (run?.status === 202) this.started.push(`/ingestion/runs/${run.body.id}`);
    const query = await write(['POST', `/graphs/${graphId}/query`, { cypher: `RETURN ${this.count++} AS n` }], { Prefer: 'respond-async' });
    if (query.outcome === 'acknowledged') this.started.push(`/graphs/${graphId}/queries/${query.body.query_id}`);
  }

  async check(): Promise<void> {
    expect(this.started.length).toBeGreaterThan(0);
    await world.expireLeases();
    const failed: string[] = [];
    const ends = new Set(['succeeded', 'failed', 'cancelled']);
    for (const route of this.started) {
      let found;
      do found = await world.must('GET', route);
      while (found.status !== undefined && !ends.has(found.status));
      // The answer to a finished query has no `status`.
      if (found.status !== undefined && found.status !== 'succeeded')
        failed.push(found.error?.code ?? found.error?.body?.code ?? JSON.stringify(found));
    }
    expect(
      failed.filter(code => !/^(too_many_attempts|query_abandoned|retrieval_unavailable|database_unavailable|source_lost)$/.test(code)),
    ).toEqual([]);
  }
}

describe('writes to two processes that are killed, with their database', () => {
  it(`are found after ${kills} kills if they were acknowledged, once, and are not if they were refused`, async () => {
    const all: Writer[] = [...Object.entries(kinds).map(([name, kind]) => new Creator(kind, name.replace(' ', '-'))), new Repeater(), new Uploader(), new Starter()]; // prettier-ignore
    let isOver = false;
    const working = Array.from({ length: writers }, async (_, first) => {
      const own = all.filter((_writer, index) => index % writers === first);
      for (let turn = 0; !isOver; turn++) await own[turn % own.length]!.step();
    });
    const failed = Promise.all(working);
    const more = async (count: number): Promise<void> => {
      for (const enough = acknowledged + count; acknowledged < enough;) await Promise.race([failed, world.sql('SELECT pg_sleep(0.005)')]);
    };
    for (let kill = 0; kill < kills; kill++) {
      await more(dice.between(1, 60));
      const victim = dice.of(['process', 'process', 'process', 'both processes', 'session', 'server'] as const);
      if (victim === 'server' || (victim === 'session' && !(await world.killBackend()))) world.postgres.signal('SIGKILL');
      else if (victim === 'both processes') await Promise.all([world.killService(0), world.killService(1)]);
      else if (victim === 'process') await world.killService(dice.of([0, 1] as const));
      await world.restore();
      note(`killed: ${victim}`);
    }
    await more(60);
    isOver = true;
    await failed;
    for (const writer of all) await writer.check();
    expect(unexpected.slice(0, 20)).toEqual([]);
  }, 1_800_000);
});
