import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo, type Socket, type Server } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { readSettings } from '../../config/settings.js';
import { Egress } from '../../egress/egress.js';
import { ConnectionFailedError } from '../warehouse.errors.js';
import { clickHouseKind } from './clickhouse/clickhouse-kind.js';
import { type ConnectionFailureCode, type ConnectionStage } from './connection-failure.js';
import { inStages } from './connection-stage.js';
import { mysqlKind } from './mysql/mysql-kind.js';
import { postgresKind } from './postgres/postgres-kind.js';
import { greetingOf, ok } from '../../../test/support/mysql-wire.js';
import { certificateFolder } from '../../../test/support/tls-front.js';

const [key, cert] = ['key.pem', 'cert.pem'].map(file => readFileSync(path.join(certificateFolder, file)));
const kinds = { postgres: postgresKind, mysql: mysqlKind, clickhouse: clickHouseKind };
type Answer = (socket: Socket, heard: Buffer, count: number) => void;

const silence: Answer = () => undefined;
/** Accepts any login and makes the session ready for statements. */
const postgresLogin: Answer = (socket, _heard, count) => {
  if (count === 0) socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I'));
};
const mysqlLogin: Answer = (socket, _heard, count) => {
  if (count === 0) socket.write(ok(2));
};
/** Answers the first statement of a connection test, and no later one. */
const clickHouseRead: Answer = (socket, heard) => {
  const [, target = ''] = /^POST (\S+)/.exec(heard.toString('latin1')) ?? [];
  const mark = new URL(target, 'http://here').searchParams.get('format_custom_result_after_delimiter');
  const rows = `version\tuser\tmode\nString\tString\tString\n24.8\treader\t2\n${mark}`;
  if (answered++ > 0) return;
  socket.end(`HTTP/1.1 200 OK\r\nX-ClickHouse-Query-Id: 1\r\nContent-Length: ${Buffer.byteLength(rows)}\r\n\r\n${rows}`);
};
/** Accepts TLS, then sends nothing over it. */
const encrypted: Answer = socket => {
  socket.pause().removeAllListeners('data');
  socket.write('S');
  new tls.TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined).resume();
};

let server: Server;
let answered = 0;

describe('the stage of a connection', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  /** Tests a connection to a server that answers with `answer`. Returns the stages that were reached, as soon as `last` is reached. */
  async function stagesUntil(
    last: ConnectionStage,
    kind: keyof typeof kinds,
    answer: Answer,
    { mode = 'disable', greet = '', host = '127.0.0.1' } = {},
  ) {
    answered = 0;
    server = net.createServer(socket => {
      let count = 0;
      sockets.push(socket.on('error', () => undefined).on('data', heard => answer(socket, heard, count++)));
      if (greet !== '') socket.write(greet, 'latin1');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = await kinds[kind].open({
      dsn: `${kind}://reader:secret@${host}:${(server.address() as AddressInfo).port}/sales`,
      options: { ssl_mode: mode as 'disable' },
      egress: new Egress(readSettings({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1,::1' })),
      answerMaxBytes: 100_000,
    });
    const stages: ConnectionStage[] = [];
    await new Promise<void>((resolve, reject) => {
      const tested = client.test({ caller: 1 }, stage => {
        stages.push(stage);
        if (stage === last) resolve();
      });
      tested.catch(reject);
    });
    await client.close();
    return stages;
  }
  const greeting = (hasTls: boolean) => greetingOf({ hasTls }).toString('latin1');

  it.each([
    ['postgres', 'that takes connections', silence, {}, ['tcp', 'login']],
    ['postgres', 'that has a name', silence, { host: 'localhost' }, ['address', 'tcp', 'login']],
    ['postgres', 'that is asked for TLS', silence, { mode: 'require' }, ['tcp', 'tls']],
    ['postgres', 'that has begun TLS', encrypted, { mode: 'require' }, ['tcp', 'tls', 'login']],
    ['postgres', 'that has logged somebody in', postgresLogin, {}, ['tcp', 'login', 'rights']],
    ['mysql', 'that takes connections', silence, {}, ['tcp', 'login']],
    ['mysql', 'that is asked for TLS', silence, { mode: 'require', greet: greeting(true) }, ['tcp', 'login', 'tls']],
    ['mysql', 'that has logged somebody in', mysqlLogin, { greet: greeting(false) }, ['tcp', 'login', 'rights']],
    ['clickhouse', 'that takes connections', silence, {}, ['tcp', 'login']],
    ['clickhouse', 'that is asked for TLS', silence, { mode: 'require' }, ['tcp', 'tls']],
    ['clickhouse', 'that has answered once', clickHouseRead, {}, ['tcp', 'login', 'rights']],
  ] as const)('is told of a %s %s and is silent then', async (kind, _what, answer, options, stages) => {
    expect(await stagesUntil(stages.at(-1)!, kind, answer, options)).toEqual(stages);
  });
});

describe('a connection in stages', () => {
  const failedAt = (stage: ConnectionStage, code: ConnectionFailureCode): Promise<unknown> =>
    inStages(reached => {
      reached(stage);
      return Promise.reject(new ConnectionFailedError(code, undefined));
    }).catch((error: unknown) => error);

  it.each(['address', 'tcp', 'tls', 'login', 'rights'] as const)('says so if it times out at %s', async stage => {
    expect(await failedAt(stage, 'TIMEOUT')).toMatchObject({ failure: 'TIMEOUT', stage });
  });

  it('has failures that are of one stage only', async () => {
    expect(await failedAt('rights', 'TOO_MANY_CONNECTIONS')).toMatchObject({ stage: 'login' });
    expect(await failedAt('tls', 'DNS_FAILED')).toMatchObject({ stage: 'address' });
  });
});
