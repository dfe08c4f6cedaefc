import { MysqlConnection, type MysqlPlace } from './mysql-connection.js';

const idleMs = 30_000;
const killMs = 2_000;

/** Connections to one server, made when they are needed and closed when they are idle. Callers limit how many there are. */
export class MysqlConnections {
  private readonly idle: { connection: MysqlConnection; timer: NodeJS.Timeout }[] = [];
  private readonly kills = new Set<Promise<void>>();
  private isClosed = false;

  constructor(private readonly place: MysqlPlace) {}

  /** Returns a connection, which the caller gives back with `release` or `abandon`. @throws ConnectionFailedError */
  async take(): Promise<MysqlConnection> {
    for (;;) {
      const last = this.idle.pop();
      if (!last) return MysqlConnection.open(this.place);
      clearTimeout(last.timer);
      if (last.connection.isUsable) return last.connection;
    }
  }

  /** Takes back a connection on which nothing runs. */
  release(connection: MysqlConnection): void {
    if (this.isClosed) return connection.end();
    if (!connection.isUsable) return;
    const entry = {
      connection,
      timer: setTimeout(() => {
        this.idle.splice(this.idle.indexOf(entry), 1);
        connection.end();
      }, idleMs).unref(),
    };
    this.idle.push(entry);
  }

  /** Cuts a connection, and also ends its statement at the server: otherwise the server would continue until it has a row to send. */
  abandon(connection: MysqlConnection, reason: Error): void {
    const { threadId } = connection;
    connection.cut(reason);
    const kill = this.kill(threadId)
      // If KILL fails, the server ends the statement at its own time limit.
      .catch(() => undefined)
      .finally(() => this.kills.delete(kill));
    this.kills.add(kill);
  }

  /** Closes idle connections, and waits until `abandon` has ended the running statements at the server. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const { connection, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      connection.end();
    }
    await Promise.all(this.kills);
  }

  private async kill(threadId: number): Promise<void> {
    const connection = await MysqlConnection.open({ ...this.place, connectTimeoutMs: Math.min(this.place.connectTimeoutMs, killMs) });
    const timer = setTimeout(() => connection.cut(new Error('The server did not end a statement in time')), killMs);
    try {
      await connection.command(`KILL QUERY ${threadId}`);
    } finally {
      clearTimeout(timer);
      connection.end();
    }
  }
}
