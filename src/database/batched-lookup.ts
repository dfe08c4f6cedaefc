import { Batcher } from './batcher.js';

/**
 * Gathers look-ups of single records into one statement. A record is always read after it was asked for, so nobody sees a state
 * older than the request. A cache could not promise that for a token that has just been ended.
 */
export class BatchedLookup<K, V> {
  private readonly batcher: Batcher<K, V | null>;

  /** `find` returns the records of the given keys, at most one each. */
  constructor(find: (keys: K[]) => Promise<V[]>, keyOf: (record: V) => K) {
    this.batcher = new Batcher<K, V | null>(async keys => {
      const records = await find([...new Set(keys)]);
      const byKey = new Map(records.map(record => [keyOf(record), record]));
      return keys.map(key => byKey.get(key) ?? null);
    });
  }

  /** Null when no record has the key. */
  get(key: K): Promise<V | null> {
    return this.batcher.add(key);
  }
}
