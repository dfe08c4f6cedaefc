import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, type Reply } from './caller.js';
import { type Owner, type World } from './world.js';

export const calls = ['login', 'search', 'query', 'metric', 'table view', 'upload', 'run'] as const;
export type Call = (typeof calls)[number];

/** The result of one call. */
export interface Fared {
  call: Call;
  /** The time of the slowest answer, including a 503. */
  ms: number;
  /** How often the service answered 503 with `Retry-After`. */
  refusals: number;
  /** The error of the last answer; undefined if it was a good one. */
  fault: string | undefined;
}

const patienceMs = 60_000;

/** An ordinary caller who does ordinary things, with little data. */
export class Neighbour {
  private constructor(
    private readonly world: World,
    private readonly owners: { owner: Owner; metricId: number }[],
  ) {}

  private turn = 0;

  /** Registers several users, who take turns: one user alone would reach the limits per minute. */
  static async settle(world: World, users: number): Promise<Neighbour> {
    const owners: { owner: Owner; metricId: number }[] = [];
    for (let index = 0; index < users; index++) {
      const owner = await world.owner(`neighbour-${index}`, 'neighbour_rows');
      const { id: metricId } = await owner.caller.must<{ id: number }>({
        path: '/metrics',
        body: {
          graph_id: owner.graphId,
          name: '合计',
          formula: 'SUM(id)',
          binding: { relation: { table: 'neighbour_rows' }, dimensions: [{ name: '组', column: 'grp' }] },
        },
      });
      owners.push({ owner, metricId });
    }
    return new Neighbour(world, owners);
  }

  /** Sends each kind of call once, all at the same time. */
  round(): Promise<Fared[]> {
    const { owner, metricId } = this.owners[this.turn++ % this.owners.length]!;
    const query = `/graphs/${owner.graphId}/query`;
    const asks: Record<Exclude<Call, 'login'>, Ask> = {
      search: { path: query, body: { search: `公司${this.turn % 200}`, cache: 'refresh' } },
      query: {
        path: query,
        body: { cypher: 'MATCH (a:项)-[:属于]->(b:项) RETURN b.名称 AS 组, count(a) AS n ORDER BY n DESC LIMIT 3', cache: 'refresh' },
      },
      metric: { path: `/metrics/${metricId}/execute`, body: { dimensions: ['组'] } },
      'table view': { path: '/warehouse/connections/1/tables/neighbour_rows' },
      upload: {
        method: 'PUT',
        path: `/warehouse/connections/1/tables/fresh_${owner.graphId}`,
        body: `id,name\n1,甲\n2,乙\n3,${this.turn}\n`,
      },
      run: { path: `/ingestion/jobs/${owner.jobId}/run`, body: {}, headers: { Prefer: 'wait=30' } },
    };
    const done = calls.map(call =>
      this.fare(call, () => (call === 'login' ? this.world.login(owner.username) : owner.caller.send(asks[call]))),
    );
    return Promise.all(done);
  }

  /** Repeats the call while the service answers 503 with `Retry-After`. */
  private async fare(call: Call, send: () => Promise<Reply>): Promise<Fared> {
    let ms = 0;
    const startedAt = performance.now();
    for (let refusals = 0; ; refusals++) {
      const reply = await send();
      ms = Math.max(ms, reply.ms);
      const ended = { call, ms: Math.round(ms), refusals };
      if (reply.status === 200 || reply.status === 201) return { ...ended, fault: undefined };
      const hasTime = performance.now() - startedAt < patienceMs;
      if (reply.status !== 503 || reply.retryAfterS === undefined || !hasTime) {
        return { ...ended, fault: `${reply.status} ${reply.text.slice(0, 300)}` };
      }
      await sleep(reply.retryAfterS * 1_000);
    }
  }
}
