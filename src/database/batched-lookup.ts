interface Waiting<K, V> {
  key: K;
  resolve: (value: V | null) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers look-ups of single records into one statement. At most one statement is under way; whoever comes meanwhile is
 * part of the next. A record is always read after it was asked for, so nobody sees a state older than the request:
 * that is what a cache could not promise for a token that was just ended.
 */
export class BatchedLookup<K, V> {
  private waiting: Waiting<K, V>[] = [];
  private running = false;

  /** `find` returns the records of the keys it is given, at most one each. */
  constructor(
    private readonly find: (keys: K[]) => Promise<V[]>,
    private readonly keyOf: (record: V) => K,
  ) {}

  /** Null where there is no such record. */
  get(key: K): Promise<V | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.running) return;
      this.running = true;
      // Whatever arrived in the same turn of the event loop goes along.
      setImmediate(() => void this.run());
    });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        const records = await this.find([...new Set(batch.map(({ key }) => key))]);
        const byKey = new Map(records.map(record => [this.keyOf(record), record]));
        for (const { key, resolve } of batch) resolve(byKey.get(key) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.running = false;
  }
}
