import { lookup } from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { type Egress } from '../../../egress/egress.js';
import { checkedAgent, type CheckedAgentOptions } from './checked-agent.js';

const anywhere = { check: () => Promise.resolve(), lookup: () => lookup } as unknown as Egress;

describe('An agent with TLS', () => {
  const fileOf = (name: string): Buffer => readFileSync(path.resolve('test/support/certificate', name));
  const certificate = fileOf('cert.pem');
  let server: https.Server;
  /** A server whose certificate names another host. */
  let otherHost: https.Server;

  const listening = async <T extends Server>(listener: T): Promise<T> => {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return listener;
  };
  const serving = (key: string, cert: string): Promise<https.Server> =>
    listening(https.createServer({ key: fileOf(key), cert: fileOf(cert) }, (_, response) => response.end('ok')));

  beforeAll(async () => {
    server = await serving('key.pem', 'cert.pem');
    otherHost = await serving('api-key.pem', 'api-cert.pem');
  });
  afterAll(() => {
    server.close();
    otherHost.close();
  });

  /** The status of an answer by an agent. */
  async function ask(
    options: Partial<CheckedAgentOptions>,
    { host = 'localhost', ca, to = server }: { host?: string; ca?: Buffer; to?: Server } = {},
  ) {
    const { port } = to.address() as AddressInfo;
    const agent = checkedAgent({ egress: anywhere, port, tls: 'verify', connectMs: 5_000, ...options }) as https.Agent;
    // Trusts the certificate, as if a known authority had signed it.
    if (ca) agent.options.ca = ca;
    const request = https.get({ host, port, agent });
    const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    return response.statusCode;
  }

  it('checks who answers, unless it only encrypts', async () => {
    expect(await ask({ tls: 'encrypt' })).toBe(200);
    await expect(ask({})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(await ask({}, { ca: certificate })).toBe(200);
    await expect(ask({}, { ca: certificate, to: otherHost })).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('waits for a connection, encryption included, no longer than it may', async () => {
    const silent = await listening(createServer());
    await expect(ask({ connectMs: 200 }, { to: silent })).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    silent.close();
  });

  it('connects to no address that is not allowed, whether the host is a name or an address', async () => {
    const refusal = new Error('blocked');
    const nameless = { ...anywhere, check: () => Promise.reject(refusal) } as unknown as Egress;
    await expect(ask({ egress: nameless, tls: 'encrypt' }, { host: '127.0.0.1' })).rejects.toBe(refusal);
    const unnamed = {
      ...anywhere,
      lookup: () => (_: string, __: unknown, done: (error: Error) => void) => done(refusal),
    } as unknown as Egress;
    await expect(ask({ egress: unnamed, tls: 'encrypt' })).rejects.toBe(refusal);
  });
});
