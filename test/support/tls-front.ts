import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';

/** The folder of the key and the certificate. The certificate is for localhost and 127.0.0.1. */
export const certificateFolder = path.join(__dirname, 'certificate');

/** Accepts TLS connections and forwards them to a PostgreSQL server without TLS. */
export class TlsFront {
  /** The TLS version of each connection, noted at its start: a closed socket does not have it any more. */
  readonly protocols: (string | null)[] = [];

  private constructor(private readonly server: net.Server) {}

  static async start(port: number): Promise<TlsFront> {
    const [key, cert] = ['key.pem', 'cert.pem'].map(file => readFileSync(path.join(certificateFolder, file)));
    const server = net.createServer(socket => {
      socket.on('error', () => undefined);
      // The first message of a client is the request for TLS, of eight bytes.
      socket.once('data', () => {
        socket.write('S');
        const inner = new tls.TLSSocket(socket, { isServer: true, key, cert });
        inner.on('error', () => undefined);
        inner.once('secure', () => front.protocols.push(inner.getProtocol()));
        const upstream = net.connect(port, '127.0.0.1').on('error', () => undefined);
        inner.pipe(upstream).pipe(inner);
        upstream.once('close', () => inner.destroy());
      });
    });
    const front = new TlsFront(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return front;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}
