import { firstToken, ServiceProcess } from '../support/service-process.js';
import { Caller } from './caller.js';

const password = 'correct-horse-9';
const mirror = '/warehouse/connections/1';
const rowsOfNoisy = 3_000;

/** A user with a graph of their own, loaded from the mirror by a job of their own. */
export interface Owner {
  caller: Caller;
  username: string;
  graphId: number;
  jobId: number;
}

/** A service with tables in its mirror, and callers with the rights of ordinary users. */
export class World {
  private addresses = 0;
  private constructor(
    readonly service: ServiceProcess,
    private readonly admin: Caller,
  ) {}

  /** @param environment variables to set besides the limits per minute, which have their defaults */
  static async start(environment: Record<string, string | undefined>): Promise<World> {
    const service = await ServiceProcess.start({ environment: { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '1', ...environment } });
    const admin = new Caller(service.url, '192.0.2.1');
    admin.token = await firstToken(service.url);
    const world = new World(service, admin);
    const names = Array.from({ length: 200 }, (_, index) => `${index},公司${index},${index % 7}`);
    await world.load('neighbour_rows', `id,name,grp\n${names.join('\n')}\n`);
    // Two thousand characters in each row, so that few rows make a large answer.
    const long = 'x'.repeat(2_000);
    const rows = Array.from({ length: rowsOfNoisy }, (_, index) => `${index},名称${index},${index % 10},${long}${index}`);
    await world.load('noisy_rows', `id,name,grp,long\n${rows.join('\n')}\n`);
    return world;
  }

  /** Loads a table into the mirror. */
  load(table: string, csv: string): Promise<void> {
    return this.admin.must({ method: 'PUT', path: `${mirror}/tables/${table}`, body: csv });
  }

  /** A caller from a new address, without a login. */
  stranger(): Caller {
    this.addresses += 1;
    return new Caller(this.service.url, `198.51.${100 + (this.addresses >> 8)}.${this.addresses & 255}`);
  }

  /** Registers a user, grants them the mirror, and loads a graph of their own from `table`. */
  async owner(username: string, table: string): Promise<Owner> {
    const caller = this.stranger();
    await caller.must({ path: '/auth/register', body: { username, password } });
    await caller.logIn(username, password);
    await this.admin.must({ path: '/permissions/connections/1/users', body: { username, right: 'write' } });
    const { id: graphId } = await caller.must<{ id: number }>({ path: '/graphs', body: { name: `${username} 的图` } });
    const { id: jobId } = await caller.must<{ id: number }>({
      path: '/ingestion/jobs',
      body: { graph_id: graphId, mapping_yaml: mappingOf(table) },
    });
    await caller.must({ path: `/ingestion/jobs/${jobId}/run`, body: {}, headers: { Prefer: 'wait=60' } });
    return { caller, username, graphId, jobId };
  }

  /** Logs in from a new address, so that the limit per address is not reached. */
  login(username: string) {
    return this.stranger().send({ path: '/auth/login', body: { username, password } });
  }

  async stop(): Promise<void> {
    this.admin.close();
    await this.service.kill();
  }
}

/** A mapping of nodes in groups, each linked to the node with its group's number. */
export function mappingOf(table: string, more = ''): string {
  const long = table === 'noisy_rows' ? '\n      - {column: long, property: 长文}' : '';
  return `
version: 1
source: {connection: pg_mirror${more}}
nodes:
  - id: item
    label: 项
    table: ${table}
    key: [id]
    display: name
    columns:
      - {column: id, property: 编号, type: int}
      - {column: name, property: 名称}
      - {column: grp, property: 组, type: int}${long}
edges:
  - type: 属于
    table: ${table}
    from: {node: item, match: {id: id}}
    to: {node: item, match: {grp: id}}
    key: [id]
`;
}
