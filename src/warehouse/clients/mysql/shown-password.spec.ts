import { constants, createPrivateKey, createPublicKey, privateDecrypt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net, { type AddressInfo, Socket, type Server } from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { type Egress } from '../../../egress/egress.js';
import { type WarehouseClient } from '../warehouse.client.js';
import { type ConnectionOptions } from '../warehouse-kind.js';
import { mysqlKind } from './mysql-kind.js';
import { greetingOf, packet, scramble } from '../../../../test/support/mysql-wire.js';
import { certificateFolder } from '../../../../test/support/tls-front.js';

const password = 'pa55word';
const [key, cert] = ['key.pem', 'cert.pem'].map(file => readFileSync(path.join(certificateFolder, file), 'utf8')) as [string, string];
const ownKey = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' });
/** The bytes of a packet with which a client begins TLS. */
const tlsRequestBytes = 36;
const wantsFullLogin = [1, 4];

type Plugin = 'caching_sha2_password' | 'sha256_password' | 'mysql_clear_password';
interface Impostor {
  plugin: Plugin;
  /** Whether the server names the plugin in its greeting or in a later request to switch plugins. */
  by: 'greeting' | 'switch';
  hasTls?: boolean;
  /** Packets that the server sends together with its greeting, although they belong after the start of TLS. */
  early?: Buffer[];
}

/** A server that tries every way of the protocol to get the password. It has an RSA key of its own. */
class PasswordThief {
  /** Bytes that came in clear text, bytes that came over TLS, and the password that the server's key decrypted. */
  readonly heard = { inClear: '', byTls: '', byKey: '' };
  private readonly sockets: Socket[] = [];
  private readonly server: Server;

  constructor(private readonly impostor: Impostor) {
    const { plugin, by, hasTls = false, early = [] } = impostor;
    this.server = net.createServer(socket => {
      this.sockets.push(socket.on('error', () => undefined));
      socket.on('data', bytes => {
        this.heard.inClear += bytes.toString('latin1');
        if (!hasTls) return this.ask(socket, bytes);
        socket.pause().removeAllListeners('data');
        const hello = bytes.subarray(tlsRequestBytes);
        if (hello.length > 0) socket.unshift(hello);
        this.encrypt(socket);
      });
      socket.write(Buffer.concat([greetingOf({ ...(by === 'greeting' && { plugin }), hasTls }), ...early]));
    });
  }

  async start(): Promise<number> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  private encrypt(socket: Socket): void {
    const inner = new tls.TLSSocket(socket, { isServer: true, key, cert }).on('error', () => undefined);
    inner.on('data', bytes => {
      this.heard.byTls += bytes.toString('latin1');
      this.ask(inner, bytes);
    });
  }

  /** Answers a packet of the client so that the client's next packet reveals more of the password. */
  private ask(socket: Socket, bytes: Buffer): void {
    const [sequence, body] = [bytes[3]! + 1, bytes.subarray(4)];
    const { plugin } = this.impostor;
    if (body.length === 1) return void socket.write(packet(sequence, [1], Buffer.from(ownKey)));
    if (body.length === 256) this.heard.byKey = opened(body);
    if (body.length === 256 || body.equals(Buffer.from(`${password}\0`))) return void socket.destroy();
    const isOfPlugin = body.length === 32 || body.includes(`${plugin}\0`);
    const more = isOfPlugin ? packet(sequence, wantsFullLogin) : packet(sequence, [254], Buffer.from(`${plugin}\0`), scramble, [0]);
    socket.write(more);
  }
}

function opened(sealed: Buffer): string {
  const mixed = privateDecrypt({ key, oaepHash: 'sha1', padding: constants.RSA_PKCS1_OAEP_PADDING }, sealed);
  return Buffer.from(mixed.map((byte, at) => byte ^ scramble[at % scramble.length]!)).toString('latin1');
}

describe('the password of a MySQL login', () => {
  let client: WarehouseClient;
  let thief: PasswordThief;

  /** Tests a connection to a server that wants the password. Returns the result of the test, or its error. */
  async function tested(impostor: Impostor, ssl_mode: NonNullable<ConnectionOptions['ssl_mode']>): Promise<unknown> {
    thief = new PasswordThief(impostor);
    const dsn = `mysql://reader:${password}@127.0.0.1:${await thief.start()}/sales`;
    const egress = { socket: () => new Socket() } as Egress;
    client = await mysqlKind.open({ dsn, options: { ssl_mode }, egress, answerMaxBytes: 200_000 });
    return client.test({ caller: 1 }).catch((error: unknown) => error);
  }
  afterEach(async () => {
    await client.close();
    thief.stop();
  });

  const plugins = ['caching_sha2_password', 'sha256_password', 'mysql_clear_password'] as const;
  const ways = plugins.flatMap(plugin => (['greeting', 'switch'] as const).map(by => ({ plugin, by })));

  describe.each(ways)('is not told without TLS to $plugin by $by', impostor => {
    it.each([
      ['disable', { failure: 'CLEAR_PASSWORD', stage: 'login' }],
      ['prefer', { failure: 'CLEAR_PASSWORD', stage: 'login' }],
      ['require', { failure: 'TLS_MISSING', stage: 'tls' }],
      ['verify-full', { failure: 'TLS_MISSING', stage: 'tls' }],
    ] as const)('with ssl_mode %s', async (mode, failure) => {
      expect(await tested(impostor, mode)).toMatchObject(failure);
      expect(thief.heard).toEqual({ inClear: expect.not.stringContaining(password), byTls: '', byKey: '' });
    });
  });

  it.each(ways)('is told by TLS to $plugin by $by', async impostor => {
    await tested({ ...impostor, hasTls: true }, 'require');
    expect(thief.heard).toEqual({
      inClear: expect.not.stringContaining(password),
      byTls: expect.stringContaining(`${password}\0`),
      byKey: '',
    });
  });

  it.each(plugins)('is not told by TLS whose certificate was not verified yet, to a %s sent before it', async plugin => {
    const early = [packet(2, [254], Buffer.from(`${plugin}\0`), scramble, [0]), packet(3, wantsFullLogin)];
    for (const [mode, failure] of [
      ['verify-full', /^(CLEAR_PASSWORD|TLS_FAILED)$/],
      ['require', /^CLEAR_PASSWORD$/],
    ] as const) {
      expect(await tested({ plugin, by: 'greeting', hasTls: true, early }, mode)).toMatchObject({
        failure: expect.stringMatching(failure),
      });
      await client.close();
      thief.stop();
      const never = expect.not.stringContaining(password) as string;
      expect(thief.heard).toEqual({ inClear: never, byTls: never, byKey: '' });
    }
  });
});
