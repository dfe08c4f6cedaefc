/**
 * A bounded map of recently used entries, with constant cost and no timer. It has two generations, and the older generation is dropped as a
 * whole. An entry lives for at least `keepMs` after its last use, unless `capacity` other keys came in between.
 */
export class RecentMap<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  private turnedAt: number;

  constructor(
    private readonly keepMs: number,
    private readonly capacity: number,
    private readonly now: () => number,
  ) {
    this.turnedAt = now();
  }

  /** The number of entries in both generations. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: K): V | undefined {
    if (this.now() - this.turnedAt >= this.keepMs) this.turn();
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const aged = this.old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: K, value: V): void {
    this.old.delete(key);
    if (this.young.size >= this.capacity && !this.young.has(key)) this.turn();
    this.young.set(key, value);
  }

  delete(key: K): void {
    this.young.delete(key);
    this.old.delete(key);
  }

  private turn(): void {
    this.old = this.young;
    this.young = new Map();
    this.turnedAt = this.now();
  }
}
