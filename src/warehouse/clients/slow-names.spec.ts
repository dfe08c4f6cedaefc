import { type LookupAddress } from 'node:dns';
import { readSettings } from '../../config/settings.js';
import { Egress } from '../../egress/egress.js';
import { lookingUpFor } from '../../egress/lookups.js';
import { kindOf } from '../connections/warehouse-kinds.js';
import { type WarehouseClient } from './warehouse.client.js';

const query = { sql: 'SELECT 1', parameters: [], timeoutMs: 5_000, maxRows: 1 };
const works: Record<string, (client: WarehouseClient, caller: number) => Promise<unknown>> = {
  test: (client, caller) => client.test({ caller }),
  query: (client, caller) => client.query({ ...query, claim: { caller } }),
  'reading of a table': async (client, caller) => {
    const reading = await client.openReading({ claim: { caller }, timeoutMs: 5_000 });
    return reading.rows({ table: 't', columns: ['a'] }).toArray();
  },
};

/** Risk: if the name servers of one user's host are slow, the connections of other users have to wait. */
describe.each(['postgres', 'mysql', 'clickhouse'] as const)('a connection of type %s', type => {
  it.each(Object.keys(works))('looks its host up in the share of the caller of the %s', async name => {
    const place: LookupAddress = { address: '127.0.0.1', family: 4 };
    let end!: () => void;
    const slow = new Promise<LookupAddress[]>(resolve => (end = () => resolve([place])));
    const ask = (host: string) => (host === 'slow.test' ? slow : Promise.resolve([place]));
    const egress = new Egress(readSettings({ UV_THREADPOOL_SIZE: '16' }), ask);
    const dsn = `${type}://u:p@fast.test:5999/db`;
    const client = await kindOf(type).open({ dsn, options: { ssl_mode: 'disable' }, egress, answerMaxBytes: 1_000_000 });
    // Caller 1 has two lookups under way and 32 waiting, the most that one caller may have.
    lookingUpFor(1, () => {
      for (let count = 0; count < 2 + 32; count++) egress.lookup(80)('slow.test', { all: true }, () => undefined);
    });
    await expect(works[name]!(client, 1)).rejects.toMatchObject({ status: 503, code: 'lookups_busy' });
    // Caller 2's lookup succeeds. Only then is the address 127.0.0.1 refused.
    await expect(works[name]!(client, 2)).rejects.toMatchObject({ failure: 'BLOCKED_ADDRESS' });
    end();
    await client.close();
  });
});
