import { once } from 'node:events';
import { type AddressInfo, type Server } from 'node:net';

/** Has a server listen on this machine alone, and gives its port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
