import { isIP, type Socket } from 'node:net';
import type mysql2 from 'mysql2';
import { type Connection, type Field, type Packet } from 'mysql2';
import { ApiError } from '../../../common/errors/api-error.js';
import { withholdText } from '../../../common/logging/withhold-text.js';
import { sqlstates } from '../../../sql/sqlstate.js';
import { WarehouseQueryError } from '../../warehouse.errors.js';
import { type Dsn } from '../dsn.js';
import { type ClientConfig, type ConnectionOptions } from '../warehouse-kind.js';
import { authPlugins } from './auth-plugins.js';
import { type Reached } from '../connection-failure.js';
import { inStages, tellStages } from '../connection-stage.js';
import { mostColumns } from '../require-few-columns.js';
import { tlsMissing, toConnectError } from './connect-errors.js';

export type MysqlDriver = typeof mysql2;

export interface MysqlPlace extends Pick<ClientConfig, 'egress'> {
  driver: MysqlDriver;
  dsn: Dsn;
  sslMode: NonNullable<ConnectionOptions['ssl_mode']>;
  connectTimeoutMs: number;
  /** Is told of each stage of a connection. */
  reached?: Reached;
}

export interface Statement {
  sql: string;
  /** Values of the `?` in the text. */
  parameters?: readonly unknown[];
  onFields?: (fields: Field[]) => void;
  onRow?: (row: unknown[]) => void;
  /** Leaves the values of rows as bytes. */
  isRaw?: boolean;
}

/** More than the packets of any login. */
const loginMaxBytes = 1_048_576;
/** More than any packet but a row: texts in it are short, and mysql2 decodes some of them as the server says. */
const frameMaxBytes = 65_536;
/** mysql2 decodes a value in one go. */
const decodedRowMaxBytes = 4_194_304;
/** Packets around the definitions of parameters and columns, at the most. */
const mostFrames = 10;

/**
 * Flags that mysql2 sets by default and that change how a server reads SQL. LOCAL_FILES would let it ask for files of this
 * machine: mysql2 answers such a request with nothing even so.
 */
const flags = ['-LOCAL_FILES', '-ODBC', '-IGNORE_SPACE', '-FOUND_ROWS'];

/** All sessions read the same way on every server: text is UTF-8, times are in UTC, and nothing can be written. */
const session = [
  // A server may heed no character set that a client asks for at its login.
  'SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci',
  `SET SESSION sql_mode = 'STRICT_TRANS_TABLES', autocommit = 1, time_zone = '+00:00', lock_wait_timeout = 5, wait_timeout = 28800`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
];

/** A server sent more bytes than it was allowed to, in all or in one packet. */
export class ByteBudgetError extends Error {
  constructor(readonly limitBytes: number) {
    super('The server sent more bytes than it may');
  }
}

/** One connection to a MySQL or MariaDB server. It runs one statement at a time. */
export class MysqlConnection {
  private failure: Error | null = null;
  private refuse: ((error: Error) => void) | null = null;
  private allowed = loginMaxBytes;
  /** Bytes that the server may still send. */
  private budget = loginMaxBytes;
  /** Packets that the server may still send before rows. */
  private packets = mostColumns;
  private packetMaxBytes = frameMaxBytes;
  private receivedBytes = 0;
  isMariaDb = false;

  private constructor(
    private readonly connection: Connection,
    private readonly socket: Socket,
    private readonly reached: Reached,
  ) {
    connection.on('error', (error: Error) => this.cut(error));
    // mysql2 writes a line to the log for each packet that is out of order. There is at most one then.
    connection.on('warn', (error: Error) => this.cut(error));
    this.countBytes();
    connection.on('error', withholdText);
    const handle = connection.handlePacket.bind(connection);
    connection.handlePacket = packet => {
      if (this.failure) return;
      try {
        if (packet) this.confine(packet);
        handle(packet);
        // The packets of a login may leave out the byte that ends their last text.
        if (packet && connection.authorized && packet.offset > packet.end) throw new Error('A packet ends before its values');
      } catch (error) {
        // mysql2 reads errors outside of a statement without catching a malformed one.
        this.cut(error as Error);
      }
    };
  }

  /** Connects, logs in and makes the session harmless. @throws ConnectionFailedError */
  static async open(place: MysqlPlace): Promise<MysqlConnection> {
    try {
      return await MysqlConnection.openNow(place);
    } catch (error) {
      if (place.sslMode !== 'prefer' || !tlsMissing(error)) throw error;
      return MysqlConnection.openNow({ ...place, sslMode: 'disable' });
    }
  }

  private static openNow(place: MysqlPlace): Promise<MysqlConnection> {
    return inStages(reached => MysqlConnection.openInStages(place, reached), place.reached);
  }

  private static async openInStages(
    { driver, egress, dsn, sslMode, connectTimeoutMs }: MysqlPlace,
    reached: Reached,
  ): Promise<MysqlConnection> {
    const socket = egress.socket();
    // The server speaks first, also before TLS.
    tellStages(socket, dsn.host, 'login', reached);
    // TLS compares the certificate with this name, and Node sets it for names of DNS only.
    if (isIP(dsn.host) !== 0) Object.assign(socket, { _host: dsn.host });
    const connection = driver.createConnection({
      stream: () => socket.connect(dsn.port, dsn.host).setNoDelay(true).setKeepAlive(true, 10_000),
      host: dsn.host,
      user: dsn.user,
      password: dsn.password,
      database: dsn.database,
      connectTimeout: connectTimeoutMs,
      ...(sslMode === 'disable'
        ? {}
        : { ssl: { rejectUnauthorized: sslMode === 'verify-full', verifyIdentity: sslMode === 'verify-full' } }),
      authPlugins: authPlugins(driver),
      charset: 'utf8mb4',
      flags,
      multipleStatements: false,
      // No code is made of what a server says.
      disableEval: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      jsonStrings: true,
      timezone: 'Z',
      trace: false,
      maxPreparedStatements: 10,
      connectAttributes: { program_name: 'graph-service' },
    });
    const opened = new MysqlConnection(connection, socket, reached);
    // mysql2 ends its own time at the login.
    const watch = setTimeout(() => opened.cut(Object.assign(new Error('The login timed out'), { code: 'ETIMEDOUT' })), connectTimeoutMs);
    try {
      await new Promise<void>((resolve, reject) => {
        opened.refuse = reject;
        connection.once('connect', ({ serverVersion }: { serverVersion: string }) => {
          opened.isMariaDb = /mariadb/i.test(serverVersion);
          reached('rights');
          resolve();
        });
      });
      for (const sql of session) await opened.command(sql);
      return opened;
    } catch (cause) {
      withholdText(cause);
      opened.cut(cause as Error);
      throw cause instanceof ApiError ? cause : toConnectError(cause);
    } finally {
      clearTimeout(watch);
    }
  }

  get threadId(): number {
    return this.connection.threadId;
  }

  get isUsable(): boolean {
    return this.failure === null;
  }

  /** Bytes that have arrived so far. */
  get received(): number {
    return this.receivedBytes;
  }

  /** From now on the server may send so many bytes. Beyond them the connection is cut, with ByteBudgetError. */
  allow(bytes: number): void {
    this.allowed = bytes;
    this.budget = bytes;
  }

  /** Runs a statement that has neither parameters nor rows. Not all of them can be prepared. */
  command(sql: string): Promise<void> {
    // mysql2 counts through a number of any length in a row of text.
    const onFields = (): void => this.cut(new Error('The server sent rows that nobody asked for'));
    return this.run(this.connection.query.bind(this.connection), { sql, onFields });
  }

  /** Runs a statement that has rows. @throws the error of the server, or the one that ended the connection */
  async execute({ onFields, ...statement }: Statement): Promise<void> {
    let hasColumns = false;
    const seeFields = (fields: Field[]): void => {
      hasColumns = true;
      this.packets = Infinity;
      this.packetMaxBytes = statement.isRaw ? Infinity : decodedRowMaxBytes;
      const strange = fields.find(field => !isDecodedByNode(field));
      if (strange) return this.cut(new Error(`The server sent text of the character set ${strange.characterSet}`));
      onFields?.(fields);
    };
    await this.run(this.connection.execute.bind(this.connection), { ...statement, onFields: seeFields });
    if (hasColumns) return;
    // mysql2 takes a request for a file, which it refuses, for the end of a statement.
    this.cut(new Error('The server sent no result'));
    throw this.failure!;
  }

  pause(): void {
    this.connection.pause();
  }

  resume(): void {
    if (this.isUsable) this.connection.resume();
  }

  /** Ends the connection at once, and the statement that runs on it, for this process at least. */
  cut(reason: Error): void {
    this.failure ??= reason;
    this.socket.destroy();
    this.refuse?.(this.failure);
    this.refuse = null;
  }

  /** Takes leave of the server. */
  end(): void {
    if (!this.isUsable) return;
    this.connection.end();
    this.failure = new Error('The connection was closed');
    this.socket.setTimeout(1_000, () => this.socket.destroy());
  }

  private run(send: Connection['execute'], { sql, parameters, onFields, onRow, isRaw = false }: Statement): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      // mysql2 does not tell a statement that its connection was lost.
      this.refuse = reject;
      // A statement that is not known yet is prepared, which gives the columns once more.
      this.packets = (parameters?.length ?? 0) + 2 * mostColumns + mostFrames;
      this.packetMaxBytes = frameMaxBytes;
      let results = 0;
      send({ sql, ...(parameters && { values: [...parameters] }), rowsAsArray: true, typeCast: !isRaw })
        .on('fields', fields => {
          if (++results > 1) return this.cut(new Error('The server sent a second result'));
          if (fields) onFields?.(fields);
        })
        .on('result', row => Array.isArray(row) && onRow?.(row))
        .on('error', error => {
          withholdText(error);
          // Only an error that the server sent leaves the connection as it was.
          if ((error as { errno?: unknown }).errno === undefined) this.cut(error);
          reject(error);
        })
        .on('end', resolve);
    });
  }

  /** Refuses a packet that is too much, and keeps mysql2 from what follows it: it reads a value as long as the value says it is. */
  private confine(packet: Packet): void {
    if (--this.packets < 0) throw new Error('The server sent more than the columns of a result');
    const bytes = packet.end - packet.start;
    if (bytes > this.packetMaxBytes) throw this.packetMaxBytes === frameMaxBytes ? new ByteBudgetError(frameMaxBytes) : rowTooLarge();
    if (packet.end < packet.buffer.length) packet.buffer = packet.buffer.subarray(0, packet.end);
  }

  /** Counts after mysql2 has read a chunk. TLS has a stream of its own, made when the first packet is read. */
  private countBytes(watched?: Connection['stream']): void {
    if (this.connection.stream === watched) return;
    const { stream } = this.connection;
    if (watched) this.watchTls(stream);
    stream.on('data', (chunk: Buffer) => {
      this.countBytes(stream);
      this.receivedBytes += chunk.length;
      this.budget -= chunk.length;
      if (this.budget < 0) this.cut(new ByteBudgetError(this.allowed));
    });
  }

  private watchTls(stream: Connection['stream']): void {
    this.reached('tls');
    stream.once('secureConnect', () => this.reached('login'));
  }
}

function rowTooLarge(): WarehouseQueryError {
  const mebibytes = decodedRowMaxBytes / 1_048_576;
  const reason = { zh: `有一行数据超过 ${mebibytes} MiB，请截短长文本`, en: `one row is larger than ${mebibytes} MiB; cut its long texts` };
  return new WarehouseQueryError(reason, sqlstates.outOfMemory, null, undefined);
}

/** The session asks for UTF-8. mysql2 decodes what Node does not know by tables, and takes seconds for a long text. */
function isDecodedByNode(field: Field): boolean {
  // The three bytes of utf8mb3 are UTF-8 too.
  if (field.encoding === 'cesu8') field.encoding = 'utf8';
  return Buffer.isEncoding(field.encoding ?? '');
}
