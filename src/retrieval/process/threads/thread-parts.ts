import { type FromThread } from './messages.js';
import { type PartBefore, type PartKey, type SharedParts } from './shared-parts.js';

interface Part {
  record: Promise<object>;
  isHere: boolean;
}

/** The answer to a claim. */
interface Taken {
  record: object | null;
  before: PartBefore | null;
}

interface Parts {
  version: number;
  parts: Map<string, Part>;
}

/** A thread's side of the shared parts: it claims each from the main thread once, and loads those that no thread has. */
export class ThreadParts implements SharedParts {
  private readonly graphs = new Map<number, Parts>();
  /** Versions that are kept beside newer ones. */
  private readonly kept = new Map<number, Parts>();
  private readonly claims = new Map<number, (taken: Taken) => void>();
  private claimed = 0;

  constructor(private readonly post: (message: FromThread) => void) {}

  async get<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T> {
    const graph = this.graphs.get(key.graphId);
    if (!graph || graph.version < key.version) this.graphs.set(key.graphId, { version: key.version, parts: new Map() });
    const parts = this.partsOf(key) ?? new Map<string, Part>();
    let part = parts.get(key.name);
    if (!part) {
      const made: Part = (part = { record: this.claimOrLoad(key, load), isHere: false });
      parts.set(key.name, made);
      made.record.then(
        () => (made.isHere = true),
        () => parts.delete(key.name),
      );
    }
    return part.record as Promise<T>;
  }

  has(key: PartKey): boolean {
    return this.partsOf(key)?.get(key.name)?.isHere === true;
  }

  keep(graphId: number, version: number): void {
    const graph = this.graphs.get(graphId);
    if (graph?.version === version) this.kept.set(graphId, graph);
    this.post({ did: 'keep', graphId, version });
  }

  release(graphId: number, version: number): void {
    this.kept.delete(graphId);
    this.post({ did: 'release', graphId, version });
  }

  holds(graphId: number, version: number, bytes: number): void {
    this.post({ did: 'hold', graphId, version, bytes });
  }

  /** The main thread answers a claim. */
  take({ claim, ...taken }: Taken & { claim: number }): void {
    this.claims.get(claim)?.(taken);
    this.claims.delete(claim);
  }

  drop(graphId: number): void {
    this.graphs.delete(graphId);
  }

  private partsOf({ graphId, version }: PartKey): Map<string, Part> | undefined {
    return [this.graphs, this.kept].map(graphs => graphs.get(graphId)).find(graph => graph?.version === version)?.parts;
  }

  private async claimOrLoad<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T> {
    const claim = ++this.claimed;
    const { record, before } = await new Promise<Taken>(resolve => {
      this.claims.set(claim, resolve);
      this.post({ did: 'claim', claim, key });
    });
    if (record !== null) return record as T;
    try {
      const loaded = await load(before);
      this.post({ did: 'load', key, record: loaded });
      return loaded;
    } catch (error) {
      this.post({ did: 'load', key, record: null });
      throw error;
    }
  }
}
