import { type Socket } from 'node:net';
import pg from 'pg';

/** More than the messages of any login. */
const loginMaxBytes = 1_048_576;

interface WireConnection {
  attachListeners(stream: Socket): void;
}

/**
 * A client for servers that nobody here has chosen. A message that node-postgres cannot read ends the connection: node-postgres
 * throws inside of an event of the socket, which would end the process.
 */
export class GuardedClient extends pg.Client {
  private isLoggedIn = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.once('connect', () => (this.isLoggedIn = true));
    const { connection } = this as unknown as { connection: WireConnection };
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = stream => {
      attach(stream);
      const read = stream.listeners('data').at(-1) as (chunk: Buffer) => void;
      stream.off('data', read).on('data', this.guarded(stream, read));
    };
  }

  private guarded(stream: Socket, read: (chunk: Buffer) => void): (chunk: Buffer) => void {
    let received = 0;
    return chunk => {
      if (stream.destroyed) return;
      received += chunk.length;
      if (!this.isLoggedIn && received > loginMaxBytes) return void stream.destroy(new Error('The login takes too many bytes'));
      try {
        read(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    };
  }
}
