import { mkdtemp, rm } from 'node:fs/promises';
import net, { type Server, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';

/**
 * `pass`: bytes are forwarded. `refuse`: nothing listens. `hang`: connections open, but no byte is forwarded until `pass`, as with a
 * stopped server. `drop`: as `hang`, but open connections stay silent for ever, as behind a firewall that lost its state.
 */
export type ProxyMode = 'pass' | 'refuse' | 'hang' | 'drop';

interface Pair {
  client: Socket;
  upstream: Socket;
  isLost: boolean;
  /** The connection's prepared statements by name. `rest` has the bytes of an incomplete message, and is null before the first message. */
  statements: Map<string, string>;
  rest: Buffer | null;
  /** True once the client has sent the mark of `loseCommit`. */
  isMarked: boolean;
  losesAnswer: boolean;
}

/** A proxy in front of PostgreSQL's Unix socket that misbehaves on demand, as toxiproxy does for TCP. */
export class DatabaseProxy {
  private mode: ProxyMode = 'pass';
  private delayMs = 0;
  private statementDelayMs = 0;
  private markedBy: string | null = null;
  private readonly pairs = new Set<Pair>();
  /** Texts of the statements that clients ran since a test last emptied the list. */
  readonly ran: string[] = [];
  private server: Server | null = null;

  private constructor(
    private readonly folder: string,
    private readonly upstreamPath: string,
    /** The URL of the same database through the proxy. */
    readonly url: string,
  ) {}

  /** @param databaseUrl with `?host=` naming the folder of the server's socket */
  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'proxy-'));
    const upstream = decodeURIComponent(/[?&]host=([^&]+)/.exec(databaseUrl)![1]!);
    const url = databaseUrl.replace(/([?&]host=)[^&]+/, `$1${encodeURIComponent(folder)}`);
    const proxy = new DatabaseProxy(folder, path.join(upstream, '.s.PGSQL.5432'), url);
    await proxy.listen();
    return proxy;
  }

  async set(mode: ProxyMode): Promise<void> {
    this.mode = mode;
    if (mode === 'refuse') {
      this.cut();
      const server = this.server;
      this.server = null;
      if (server) await new Promise(resolve => server.close(resolve));
      return;
    }
    if (!this.server) await this.listen();
    for (const pair of this.pairs) {
      pair.isLost ||= mode === 'drop';
      mute(pair, mode === 'hang');
    }
  }

  /** Delays all bytes, in each direction, by this many milliseconds. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Delays each statement of the simple query protocol, but no login, like a pooler in front of a slow server. */
  delayStatements(ms: number): void {
    this.statementDelayMs = ms;
  }

  /**
   * The next connection that sends `mark` loses the answer to its COMMIT: the server receives and executes the COMMIT, and the connection
   * ends before the answer. This happens once.
   */
  loseCommit(mark: string): void {
    this.markedBy = mark;
  }

  /** True until the loss that `loseCommit` requested has happened. */
  get isCommitAwaited(): boolean {
    return this.markedBy !== null;
  }

  /** Cuts every connection, even in the middle of a statement. */
  cut(): void {
    for (const pair of this.pairs) end(pair);
  }

  get connections(): number {
    return this.pairs.size;
  }

  async stop(): Promise<void> {
    await this.set('refuse');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async listen(): Promise<void> {
    const server = net.createServer(client => this.join(client));
    const address = path.join(this.folder, '.s.PGSQL.5432');
    await rm(address, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address, resolve);
    });
    this.server = server;
  }

  private join(client: Socket): void {
    const upstream = net.connect(this.upstreamPath);
    const pair = {
      client,
      upstream,
      isLost: this.mode === 'drop',
      isMarked: false,
      losesAnswer: false,
      statements: new Map<string, string>(),
      rest: null,
    };
    client.on('data', bytes => this.lookForCommit(pair, bytes));
    client.on('data', (bytes: Buffer) => this.note(pair, bytes));
    upstream.on('data', () => pair.losesAnswer && end(pair));
    this.pairs.add(pair);
    const forward = (from: Socket, to: Socket) => {
      from.on('data', (bytes: Buffer) => {
        if (pair.isLost || (from === upstream && pair.losesAnswer)) return;
        const isStatement = from === client && bytes[0] === 'Q'.charCodeAt(0);
        const delayMs = this.delayMs + (isStatement ? this.statementDelayMs : 0);
        if (delayMs === 0) to.write(bytes);
        else setTimeout(() => to.write(bytes), delayMs);
      });
      from.on('error', () => undefined);
      from.once('close', () => {
        to.destroy();
        this.pairs.delete(pair);
      });
    };
    forward(client, upstream);
    forward(upstream, client);
    mute(pair, this.mode === 'hang');
  }

  /** Reads frontend messages: a type, four bytes of length, and the body. The first message, which opens the connection, has no type. */
  private note(pair: Pair, bytes: Buffer): void {
    if (pair.rest === null) {
      pair.rest = Buffer.alloc(0);
      return;
    }
    let rest = Buffer.concat([pair.rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1);
      const [first = '', second = ''] = rest.toString('utf8', 5, end).split('\0', 2);
      const type = String.fromCharCode(rest[0]!);
      if (type === 'Q') this.ran.push(first);
      else if (type === 'P') pair.statements.set(first, second);
      else if (type === 'B') this.ran.push(pair.statements.get(second) ?? '');
      rest = rest.subarray(end);
    }
    pair.rest = rest;
  }

  private lookForCommit(pair: Pair, bytes: Buffer): void {
    if (this.markedBy === null) return;
    pair.isMarked ||= bytes.includes(this.markedBy);
    if (!pair.isMarked || !bytes.includes('COMMIT\0')) return;
    pair.losesAnswer = true;
    this.markedBy = null;
  }
}

function mute({ client, upstream }: Pair, isMute: boolean): void {
  for (const socket of [client, upstream]) {
    if (isMute) socket.pause();
    else socket.resume();
  }
}

function end({ client, upstream }: Pair): void {
  client.destroy();
  upstream.destroy();
}
