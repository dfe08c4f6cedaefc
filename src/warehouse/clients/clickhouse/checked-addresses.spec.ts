import { once } from 'node:events';
import http from 'node:http';
import { readSettings } from '../../../config/settings.js';
import { Egress } from '../../../egress/egress.js';
import { checkedAgent } from './checked-agent.js';
import { listen } from '../../../../test/support/listen.js';

describe('the connections to a ClickHouse server', () => {
  const server = http.createServer((_request, response) => response.end('hello'));
  let port: number;
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => server.close());

  async function reach(host: string, environment: Record<string, string> = {}): Promise<string> {
    const agent = checkedAgent({ egress: new Egress(readSettings(environment)), port, tls: 'off', connectMs: 1_000 });
    try {
      const [response] = (await once(http.get(`http://${host}:${port}/`, { agent }), 'response')) as [http.IncomingMessage];
      response.resume();
      return String(response.statusCode);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? '';
    }
  }

  it.each(['127.0.0.1', 'localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
    'do not go to this machine as %s',
    async host => {
      expect(await reach(host)).toBe('blocked_address');
    },
  );

  it('go where the operator allows it', async () => {
    expect(await reach('127.1', { WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' })).toBe('200');
  });
});
