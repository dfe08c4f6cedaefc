import { type EventEmitter } from 'node:events';
import { type Socket } from 'node:net';
import { type PoolClient, type PoolConfig } from 'pg';
import { GuardedClient } from './guarded-client.js';

const longestMs = 2_000;

/** The parts of node-postgres that its typings leave out. */
interface Wire extends EventEmitter {
  stream: Socket;
  ssl: unknown;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
interface Internals {
  connection: Wire;
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}

/**
 * Asks the server, on a new connection, to end the statement that a connection runs. Without this request a server goes on until it has
 * rows to send: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS. Resolves once the server has
 * taken the request, or after two seconds. Never rejects: if the request fails, the statement ends at its own time limit.
 */
export async function cancelStatement(options: PoolConfig, client: PoolClient): Promise<void> {
  const { processID, secretKey } = client as unknown as Internals;
  const { connection: wire, host, port } = new GuardedClient(options) as unknown as Internals;
  const ended = new Promise(resolve => wire.once('end', resolve));
  const ask = (): void => wire.cancel(processID, secretKey);
  wire.on('connect', () => (wire.ssl ? wire.requestSsl() : ask()));
  wire.on('sslconnect', ask);
  wire.on('error', () => wire.stream.destroy());
  const late = setTimeout(() => wire.stream.destroy(), longestMs);
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
  await ended;
  clearTimeout(late);
}
