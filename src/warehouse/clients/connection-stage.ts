import { isIP, type Socket } from 'node:net';
import { ConnectionFailedError } from '../warehouse.errors.js';
import { type ConnectionStage, type Reached } from './connection-failure.js';

/**
 * Reports the stages of a socket that connects to a host: `address` (only for a host name), then `tcp`, then `next` once the TCP connection
 * is made. A TLS socket also reports `login` after its handshake.
 */
export function tellStages(socket: Socket, host: string, next: ConnectionStage, reached: Reached): void {
  reached(isIP(host) === 0 ? 'address' : 'tcp');
  socket.once('lookup', (error: Error | null) => void (error ?? reached('tcp')));
  socket.once('connect', () => reached(next));
  socket.once('secureConnect', () => reached('login'));
}

/** Runs `connect`. A ConnectionFailedError that it throws gets the stage that was reached. */
export async function inStages<T>(connect: (reached: Reached) => Promise<T>, reached: Reached = () => undefined): Promise<T> {
  let stage: ConnectionStage = 'tcp';
  const follow: Reached = next => reached((stage = next));
  try {
    return await connect(follow);
  } catch (error) {
    throw error instanceof ConnectionFailedError ? error.stoppedAt(stage) : error;
  }
}
