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
  /** Called at each stage of connecting that is reached. */
  reached?: Reached;
}

export interface Statement {
  sql: string;
  /** Values of the placeholders `?` in `sql`, in their order. */
  parameters?: readonly unknown[];
  onFields?: (fields: Field[]) => void;
  onRow?: (row: unknown[]) => void;
  /** Whether the values of rows are passed on as bytes, without decoding. */
  isRaw?: boolean;
}

/** The most bytes that the server may send during a login; an honest server sends far fewer. */
const loginMaxBytes = 1_048_576;
/**
 * The most bytes of a packet that is not a row. No honest server needs as many, because the texts in such packets are short. The limit
 * keeps mysql2 from decoding a long text in a character set that the server names.
 */
const frameMaxBytes = 65_536;
/** The most bytes of a row whose values mysql2 decodes. mysql2 decodes each value without a pause, which blocks the event loop. */
const decodedRowMaxBytes = 4_194_304;
/** The most packets of an answer, not counting rows and the definitions of parameters and columns. */
const mostFrames = 10;

/**
 * Client flags that mysql2 sets by default and that are switched off here, because they change how a server reads SQL. LOCAL_FILES would
 * also let the server ask for files of this machine. mysql2 would answer such a request with an empty file.
 */
const flags = ['-LOCAL_FILES', '-ODBC', '-IGNORE_SPACE', '-FOUND_ROWS'];

/** Statements that set up a session the same way on every server: text is UTF-8, times are in UTC, and nothing can be written. */
const session = [
  // A server may ignore the character set that a client asks for at its login.
  'SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci',
  `SET SESSION sql_mode = 'STRICT_TRANS_TABLES', autocommit = 1, time_zone = '+00:00', lock_wait_timeout = 5, wait_timeout = 28800`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY',
];

/** A server sent more bytes than `allow` permits in all, or than one packet may have. */
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
  /** Bytes that the server may still send before the connection is cut. */
  private budget = loginMaxBytes;
  /** Packets that the server may still send before the first row of a result. */
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
    // mysql2 logs a line for each packet that is out of order. The connection is cut at the first one, so there is at most one such line.
    connection.on('warn', (error: Error) => this.cut(error));
    this.countBytes();
    connection.on('error', withholdText);
    const handle = connection.handlePacket.bind(connection);
    connection.handlePacket = packet => {
      if (this.failure) return;
      try {
        if (packet) this.confine(packet);
        handle(packet);
        // Packets of a login are exempt: their last text may lack the byte that ends it.
        if (packet && connection.authorized && packet.offset > packet.end) throw new Error('A packet ends before its values');
      } catch (error) {
        // mysql2 does not catch what it throws on a malformed error packet outside of a statement.
        this.cut(error as Error);
      }
    };
  }

  /** Connects, logs in and sets the session to read-only. @throws ConnectionFailedError */
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
    // A MySQL server sends its greeting right after the TCP connection, before any TLS. So the stage `login` comes first.
    tellStages(socket, dsn.host, 'login', reached);
    // TLS compares the certificate with `_host`. Node sets `_host` for DNS names only, so it is set here for an address.
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
      // By default mysql2 generates code for parsing rows from the server's column definitions.
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
    // The connect timeout of mysql2 ends when the login begins, so the login is timed here.
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

  /** Bytes that the server has sent so far on this connection. */
  get received(): number {
    return this.receivedBytes;
  }

  /** Lets the server send at most `bytes` from now on. Beyond that, the connection is cut with ByteBudgetError. */
  allow(bytes: number): void {
    this.allowed = bytes;
    this.budget = bytes;
  }

  /** Runs a statement without parameters and rows in the text protocol, because not every such statement can be prepared. */
  command(sql: string): Promise<void> {
    // mysql2 would parse rows of the text protocol, which blocks the process for a long number: mysql2 parses it digit by digit.
    const onFields = (): void => this.cut(new Error('The server sent rows that nobody asked for'));
    return this.run(this.connection.query.bind(this.connection), { sql, onFields });
  }

  /** Runs a statement that returns rows. @throws the error that the server sent, or the error that ended the connection */
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
    // A statement also ends without columns if the server asks for a local file: it gets none, and mysql2 reports no error.
    this.cut(new Error('The server sent no result'));
    throw this.failure!;
  }

  pause(): void {
    this.connection.pause();
  }

  resume(): void {
    if (this.isUsable) this.connection.resume();
  }

  /** Closes the connection at once and rejects its running statement. The server may continue to run that statement. */
  cut(reason: Error): void {
    this.failure ??= reason;
    this.socket.destroy();
    this.refuse?.(this.failure);
    this.refuse = null;
  }

  /** Announces the end to the server and closes the connection. The socket is destroyed if it is then idle for a second. */
  end(): void {
    if (!this.isUsable) return;
    this.connection.end();
    this.failure = new Error('The connection was closed');
    this.socket.setTimeout(1_000, () => this.socket.destroy());
  }

  private run(send: Connection['execute'], { sql, parameters, onFields, onRow, isRaw = false }: Statement): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      // mysql2 does not report a lost connection to the statement that runs, so `cut` rejects it.
      this.refuse = reject;
      // The server first prepares a statement that is new on this connection, and then sends the column definitions one more time.
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
          // An error with `errno` comes from the server and leaves the connection usable. Any other error ends the connection.
          if ((error as { errno?: unknown }).errno === undefined) this.cut(error);
          reject(error);
        })
        .on('end', resolve);
    });
  }

  /**
   * Refuses a packet beyond the allowed number or size. Then it cuts the packet's buffer to the packet's own bytes: mysql2 trusts the
   * length inside a value and would otherwise read bytes of the next packet.
   */
  private confine(packet: Packet): void {
    if (--this.packets < 0) throw new Error('The server sent more than the columns of a result');
    const bytes = packet.end - packet.start;
    if (bytes > this.packetMaxBytes) throw this.packetMaxBytes === frameMaxBytes ? new ByteBudgetError(frameMaxBytes) : rowTooLarge();
    if (packet.end < packet.buffer.length) packet.buffer = packet.buffer.subarray(0, packet.end);
  }

  /**
   * Counts the received bytes of each chunk after mysql2 has read it. When TLS begins, mysql2 replaces the stream while it reads a packet,
   * so the bytes are then counted on the new stream.
   */
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

/**
 * Whether Node itself decodes the texts of a column. mysql2 decodes other character sets with tables, which takes seconds for a long text.
 * The session asks for UTF-8, so an honest server sends no other character set.
 */
function isDecodedByNode(field: Field): boolean {
  // mysql2 calls MySQL's utf8mb3 `cesu8`. Its characters of up to three bytes are also valid UTF-8.
  if (field.encoding === 'cesu8') field.encoding = 'utf8';
  return Buffer.isEncoding(field.encoding ?? '');
}
