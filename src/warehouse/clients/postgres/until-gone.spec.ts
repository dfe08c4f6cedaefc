import { type PoolClient } from 'pg';
import { type WatchedPool } from '../../../database/watched-pool.js';
import { untilGone } from './until-gone.js';

const cut = { processID: 7 } as unknown as PoolClient;

it('asks again after a failure to connect, and never once the pool has ended', async () => {
  let asked = 0;
  const pool = {
    ending: false,
    connect(): Promise<PoolClient> {
      asked += 1;
      this.ending = asked === 2;
      return Promise.reject(new Error('timeout exceeded when trying to connect'));
    },
  };
  await untilGone(pool as unknown as WatchedPool, cut);
  expect(asked).toBe(2);
  await untilGone(pool as unknown as WatchedPool, cut);
  expect(asked).toBe(2);
});
