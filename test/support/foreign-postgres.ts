import { once } from 'node:events';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OwnPostgres } from './own-postgres.js';

/** A foreign PostgreSQL: a second embedded server, reached by TCP on 127.0.0.1, with a user `reader` who may only read. */
export class ForeignPostgres {
  private readonly sockets = new Set<Socket>();
  /** The delay in milliseconds for each piece of an answer. A piece has at most some 64 KiB. */
  pauseMs = 0;
  /** Bytes that are sent endlessly instead of the rows of the next COPY. */
  floodAtCopy: Buffer | null = null;

  private constructor(
    private readonly postgres: OwnPostgres,
    private readonly server: Server,
    private readonly admin: pg.Pool,
  ) {
    admin.on('error', () => undefined);
  }

  static async start(): Promise<ForeignPostgres> {
    const postgres = await OwnPostgres.start();
    const folder = decodeURIComponent(/[?&]host=([^&]+)/.exec(postgres.url)![1]!);
    const server = net.createServer();
    const foreign = new ForeignPostgres(postgres, server, new pg.Pool({ connectionString: postgres.url }));
    server.on('connection', socket => foreign.forward(socket, path.join(folder, '.s.PGSQL.5432')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await foreign.run(`
      CREATE ROLE reader LOGIN PASSWORD 'p@ss/word';
      CREATE ROLE writer LOGIN PASSWORD 'writes';
      GRANT CREATE ON SCHEMA public TO writer;
      ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader;
      ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO writer`);
    return foreign;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of open connections. */
  get open(): number {
    return this.sockets.size;
  }

  /** The bytes that were sent on connections that are open, without those that the server still holds. */
  get sentBytes(): number {
    return [...this.sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  }

  /** A DSN for the user `reader`. A test may replace its parts. */
  dsn({ user = 'reader:p%40ss%2Fword', host = '127.0.0.1', database = 'service', query = '?sslmode=disable' } = {}): string {
    return `postgres://${user}@${host}:${this.port}/${database}${query}`;
  }

  /** Runs statements as the superuser. */
  async run(sql: string): Promise<pg.QueryResult> {
    return this.admin.query(sql);
  }

  /** Makes a table and loads rows in the text format of COPY. In one transaction, COPY keeps their order. */
  async load(create: string, table: string, rows: Readable): Promise<void> {
    const client = await this.admin.connect();
    try {
      await client.query(`BEGIN; ${create}`);
      await pipeline(rows, client.query(copyFrom(`COPY ${table} FROM STDIN`)));
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  /** Kills the server, and waits until it has restarted by itself. */
  async crash(): Promise<void> {
    this.postgres.signal('SIGKILL');
    await sleep(50);
    await this.postgres.accepts();
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async remove(): Promise<void> {
    this.cut();
    this.server.close();
    await this.admin.end();
    await this.postgres.remove();
  }

  private forward(socket: Socket, to: string): void {
    const upstream = net.connect(to);
    this.sockets.add(socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      upstream.destroy();
    });
    upstream.once('close', () => socket.destroy());
    for (const end of [socket, upstream]) end.on('error', () => undefined);
    let isFlooded = false;
    const slowly = new Transform({
      transform: (bytes, _, done) => {
        if (isFlooded) done();
        else if (this.pauseMs === 0) done(null, bytes);
        else setTimeout(done, this.pauseMs, null, bytes);
      },
    });
    socket.on('data', (bytes: Buffer) => {
      if (isFlooded || !this.floodAtCopy || !bytes.includes('COPY (SELECT')) return;
      isFlooded = true;
      flood(socket, this.floodAtCopy);
    });
    socket.pipe(upstream).pipe(slowly).pipe(socket);
  }
}

function flood(socket: Socket, bytes: Buffer): void {
  const send = (): void => {
    while (!socket.destroyed && socket.write(bytes)) continue;
  };
  socket.on('drain', send);
  send();
}
