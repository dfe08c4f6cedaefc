/**
 * The part of mysql2 that the service uses, with fields that mysql2's own types leave out. The package is optional, and the service builds
 * without it.
 */
declare module 'mysql2' {
  import { type EventEmitter } from 'node:events';
  import { type Socket } from 'node:net';
  import { type Duplex } from 'node:stream';

  export interface Field {
    name: string;
    columnType: number;
    flags: number;
    characterSet: number;
    /** The encoding of the column's texts, in iconv-lite's spelling. Undefined for a character set that mysql2 does not know. */
    encoding: string | undefined;
  }

  /** A packet of MySQL's protocol: a part of the bytes that have arrived. */
  export interface Packet {
    buffer: Buffer;
    readonly start: number;
    /** The place in `buffer` at which mysql2 reads next. */
    offset: number;
    readonly end: number;
  }

  export interface Command {
    on(event: 'result', listener: (row: unknown) => void): this;
    on(event: 'fields', listener: (fields: Field[] | undefined) => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    on(event: 'end', listener: () => void): this;
  }

  export interface Statement {
    sql: string;
    values?: unknown[];
    rowsAsArray: true;
    /** False gives values as bytes, without decoding. */
    typeCast: boolean;
  }

  export interface Connection extends EventEmitter {
    /** The TCP socket; after TLS has begun, the TLS stream on that socket. */
    readonly stream: Duplex;
    readonly threadId: number;
    readonly config: { password?: string };
    /** True once the login is done. */
    readonly authorized: boolean;
    /** Handles a packet of the server. mysql2 also calls it without a packet when a command begins. */
    handlePacket: (packet?: Packet) => void;
    /** Runs a statement in the text protocol. The service passes no values to it. */
    query(statement: Statement): Command;
    /** Runs a statement as a prepared statement. */
    execute(statement: Statement): Command;
    pause(): void;
    resume(): void;
    end(): void;
  }

  /** Answers the messages that a server sends during a login, one after the other. */
  export type AuthPlugin = (context: { connection: Connection }) => (data: Buffer) => Buffer | null;

  export interface ConnectionOptions {
    stream: () => Socket;
    host: string;
    user: string;
    password: string;
    database: string;
    connectTimeout: number;
    ssl?: { rejectUnauthorized: boolean; verifyIdentity: boolean };
    authPlugins: Record<string, AuthPlugin>;
    charset: string;
    flags: string[];
    multipleStatements: false;
    disableEval: true;
    supportBigNumbers: true;
    bigNumberStrings: true;
    dateStrings: true;
    jsonStrings: true;
    timezone: 'Z';
    trace: false;
    maxPreparedStatements: number;
    connectAttributes: Record<string, string>;
  }

  /** Options with which tests connect to a test server. */
  export interface SocketOptions {
    socketPath: string;
    user: string;
    charset: string;
  }

  const mysql2: {
    createConnection(options: ConnectionOptions | SocketOptions): Connection;
    authPlugins: { caching_sha2_password: () => AuthPlugin };
  };
  export default mysql2;
}
