import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { listen } from '../../test/support/listen.js';
import { boundPeer } from './peers.js';

/** The cipher suites of a ClientHello (RFC 5246, section 7.4.1.2). */
function suitesIn(hello: Buffer): number[] {
  const session = 43;
  const start = session + 1 + hello[session]!;
  return Array.from({ length: hello.readUInt16BE(start) / 2 }, (_, i) => hello.readUInt16BE(start + 2 + 2 * i));
}

describe('a connection with TLS', () => {
  it('offers no Diffie-Hellman exchange over integers', async () => {
    const server = net.createServer();
    const port = await listen(server);
    const offered = async (options: tls.ConnectionOptions): Promise<number[]> => {
      const client = tls.connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined);
      const [socket] = (await once(server, 'connection')) as [Socket];
      const [hello] = (await once(socket, 'data')) as [Buffer];
      client.destroy();
      socket.destroy();
      return suitesIn(hello);
    };
    const [ecdhe, dhe] = [0xc02f, 0x009e];
    expect(await offered({ ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES128-GCM-SHA256' })).toEqual(
      expect.arrayContaining([ecdhe, dhe]),
    );
    const usual = await offered({});
    expect(usual).toContain(ecdhe);
    for (const each of [dhe, 0x009f, 0x0067, 0x006b, 0x0033, 0x0039, 0xccaa, 0xc09e]) expect(usual).not.toContain(each);
    server.close();
  });
});

it('ends an answer that comes in chunks of a byte', async () => {
  const server = net.createServer(socket => {
    socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    const crumbs = '1\r\nx\r\n'.repeat(10_000);
    const more = (): void => {
      while (!socket.destroyed && socket.write(crumbs));
    };
    socket.on('drain', more);
    more();
  });
  const request = http.get({ port: await listen(server), host: '127.0.0.1', agent: false });
  boundPeer(request);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const reading = async (): Promise<void> => {
    for await (const _ of response) continue;
  };
  await expect(reading()).rejects.toThrow('aborted');
  server.close();
});
