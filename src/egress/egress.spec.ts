import { once } from 'node:events';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { readSettings } from '../config/settings.js';
import { Egress } from './egress.js';
import { listen } from '../../test/support/listen.js';

const egress = (environment: Record<string, string> = {}) => new Egress(readSettings(environment));

describe('a connection on behalf of a user', () => {
  const server = net.createServer(socket => socket.end('hello'));
  let port: number;
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => server.close());

  /** The text that comes through a checked socket, or the code of its failure. */
  async function reach(host: string, environment: Record<string, string> = {}): Promise<string> {
    const socket = egress(environment).socket();
    socket.connect(port, host);
    try {
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      return bytes.toString();
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? '';
    } finally {
      socket.destroy();
    }
  }

  it.each(['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '0.0.0.0', '::1', '::ffff:127.0.0.1'])(
    'does not go to this machine as %s',
    async host => {
      expect(await reach(host)).toMatch(/^(blocked_address|ENOTFOUND|EAI_AGAIN)$/);
    },
  );

  it('goes where the operator allows it, by name and by address', async () => {
    const allowed = { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.0/8, ::1' };
    expect(await reach('127.0.0.1', allowed)).toBe('hello');
    expect(await reach('localhost', allowed)).toBe('hello');
    expect(await reach('127.0.0.1', { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.2' })).toBe('blocked_address');
  });

  it('never goes to the databases of the service itself (risk: a connection would read all users)', async () => {
    const allowed = { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.0/8, ::1' };
    expect(await reach('127.0.0.1', { ...allowed, DATABASE_URL: `postgres://u:p@localhost:${port}/service` })).toBe('blocked_address');
    expect(await reach('127.0.0.1', { ...allowed, REDIS_URL: `redis://127.0.0.1:${port}` })).toBe('blocked_address');
    expect(await reach('localhost', { ...allowed, DATABASE_URL: `postgres://u:p@127.0.0.1:${port + 1}/service` })).toBe('hello');
  });

  it.each(['fd12::5', 'FD12::5', 'fd12::0005', 'fd12:0:0:0:0:0:0:5', 'fd12::0.0.0.5'])('does not go to them as %s', async host => {
    const own = egress({ DATABASE_URL: 'postgres://u:p@[FD12:0::5]:5432/service' });
    await expect(own.check(host, 5432)).rejects.toMatchObject({ code: 'blocked_address', reason: { en: "the service's own database" } });
    await expect(own.check(host, 5433)).resolves.toBeUndefined();
  });

  it('does not go to the addresses of this machine in its networks', async () => {
    const own = Object.values(networkInterfaces())
      .flat()
      .flatMap(each => (each && !each.internal && !each.address.startsWith('fe80') ? [each.address] : []));
    for (const address of own) {
      expect(await reach(address)).toBe('blocked_address');
      expect(await reach(address.toUpperCase())).toBe('blocked_address');
    }
  });

  it('goes to private networks unless they are closed', async () => {
    await expect(egress().check('10.1.2.3', 5432)).resolves.toBeUndefined();
    await expect(egress({ WAREHOUSE_PRIVATE_NETWORKS: 'deny' }).check('10.1.2.3', 5432)).rejects.toMatchObject({ code: 'blocked_address' });
    const one = egress({ WAREHOUSE_PRIVATE_NETWORKS: 'deny', WAREHOUSE_ALLOWED_ADDRESSES: '10.1.2.0/24' });
    await expect(one.check('10.1.2.3', 5432)).resolves.toBeUndefined();
    await expect(egress().check('8.8.8.8', 5432)).resolves.toBeUndefined();
  });

  it('names the host and not its address', async () => {
    await expect(egress().check('169.254.169.254', 80)).rejects.toMatchObject({
      host: '169.254.169.254',
      reason: { en: expect.stringContaining('metadata') },
    });
    const lookup = new Promise((_, reject) => egress().lookup(80)('localhost', { all: true }, reject));
    await expect(lookup).rejects.toMatchObject({ host: 'localhost', message: expect.not.stringContaining('127.0.0.1') });
  });
});
