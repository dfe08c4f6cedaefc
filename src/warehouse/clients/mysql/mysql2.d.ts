/**
 * The part of mysql2 that the client uses, with fields that its own types leave out. The package is optional, and the service builds
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
    /** The encoding of texts, as iconv-lite spells it. Undefined for a character set that mysql2 does not know. */
    encoding: string | undefined;
  }

  /** A part of the bytes that have arrived. */
  export interface Packet {
    buffer: Buffer;
    readonly start: number;
    /** The place in the buffer that is read next. */
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
    /** False leaves values as bytes. */
    typeCast: boolean;
  }

  export interface Connection extends EventEmitter {
    /** The socket, and the TLS stream on it from the moment that there is one. */
    readonly stream: Duplex;
    readonly threadId: number;
    readonly config: { password?: string };
    /** True once the login is done. */
    readonly authorized: boolean;
    /** Takes no packet when a command begins. */
    handlePacket: (packet?: Packet) => void;
    /** Sends text, so it takes no values here. */
    query(statement: Statement): Command;
    /** Prepares the statement first. */
    execute(statement: Statement): Command;
    pause(): void;
    resume(): void;
    end(): void;
  }

  /** Answers what a server sends in a login, in its order. */
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

  /** The tests' own connection to a server of theirs. */
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
