import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import './peers.js';

/** The cipher suites of a ClientHello (RFC 5246, section 7.4.1.2). */
function suitesIn(hello: Buffer): number[] {
  const session = 43;
  const start = session + 1 + hello[session]!;
  return Array.from({ length: hello.readUInt16BE(start) / 2 }, (_, i) => hello.readUInt16BE(start + 2 + 2 * i));
}

describe('a connection with TLS', () => {
  it('offers no Diffie-Hellman exchange over integers', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const offered = async (options: tls.ConnectionOptions): Promise<number[]> => {
      const client = tls
        .connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ...options })
        .on('error', () => undefined);
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
