import { Batcher } from './batcher.js';

/**
 * Gathers look-ups of single records into one statement. A record is always read after it was asked for, so no caller sees a state older
 * than its request. A cache could not promise this for a token that was revoked a moment ago.
 */
export class BatchedLookup<K, V> {
  private readonly batcher: Batcher<K, V | null>;

  /**
   * @param find returns the records of the given keys, at most one for each key
   * @param keyOf returns the key of a record
   */
  constructor(find: (keys: K[]) => Promise<V[]>, keyOf: (record: V) => K) {
    this.batcher = new Batcher<K, V | null>(async keys => {
      const records = await find([...new Set(keys)]);
      const byKey = new Map(records.map(record => [keyOf(record), record]));
      return keys.map(key => byKey.get(key) ?? null);
    });
  }

  /** Looks up a record; null if no record has the key. */
  get(key: K): Promise<V | null> {
    return this.batcher.add(key);
  }
}
