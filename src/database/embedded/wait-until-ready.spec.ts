import net from 'node:net';
import { waitUntilReady } from './wait-until-ready.js';

/** A server that refuses every connection with one SQLSTATE, as PostgreSQL's protocol has it. */
async function refusing(sqlstate: string, work: (url: string) => Promise<void>): Promise<void> {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlstate}\0Mrefused\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const server = net.createServer(socket => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  await work(`postgresql://u:p@127.0.0.1:${(server.address() as net.AddressInfo).port}/postgres`);
  server.close();
}

describe('waitUntilReady', () => {
  it('waits beyond its patience for a server that is starting, until that fails', () =>
    refusing('57P03', async url => {
      const failsAt = Date.now() + 400;
      await expect(waitUntilReady(url, () => (Date.now() > failsAt ? new Error('it ended') : undefined), 50)).rejects.toThrow('it ended');
      expect(Date.now()).toBeGreaterThan(failsAt);
    }));

  it('gives up after its patience when the server refuses for another reason', () =>
    refusing('28P01', url => expect(waitUntilReady(url, () => undefined, 50)).rejects.toMatchObject({ code: '28P01' })));
});
