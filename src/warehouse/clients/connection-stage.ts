import { isIP, type Socket } from 'node:net';
import { ConnectionFailedError } from '../warehouse.errors.js';
import { type ConnectionStage, type Reached } from './connection-failure.js';

/** Tells the stages of a socket that connects to a host, or of a TLS socket up to the login. `next` begins with the connection. */
export function tellStages(socket: Socket, host: string, next: ConnectionStage, reached: Reached): void {
  reached(isIP(host) === 0 ? 'address' : 'tcp');
  socket.once('lookup', (error: Error | null) => void (error ?? reached('tcp')));
  socket.once('connect', () => reached(next));
  socket.once('secureConnect', () => reached('login'));
}

/** Connects, so that a failure of the network names the stage at which it happened. */
export async function inStages<T>(connect: (reached: Reached) => Promise<T>, reached: Reached = () => undefined): Promise<T> {
  let stage: ConnectionStage = 'tcp';
  const follow: Reached = next => reached((stage = next));
  try {
    return await connect(follow);
  } catch (error) {
    throw error instanceof ConnectionFailedError ? error.stoppedAt(stage) : error;
  }
}
