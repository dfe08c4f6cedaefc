import { threadId } from 'node:worker_threads';
import { type PartsAnswer, type PartsMessage } from './messages.js';
import { PartCopies } from './part-copies.js';
import { type LargeLoad, type PartBefore, type PartKey, type SharedPart, type SharedParts } from './shared-parts.js';

/** A large load reports its size each time that it has grown by this many bytes. */
const toldBytes = 4_194_304;

interface Part {
  record: Promise<object>;
  isHere: boolean;
}

interface Parts {
  version: number;
  parts: Map<string, Part>;
}

/** A thread's side of the shared parts: it claims each part from the main thread once, and loads the parts that no thread has. */
export class ThreadParts implements SharedParts {
  private readonly graphs = new Map<number, Parts>();
  /** The parts of versions that are kept although a newer version is loaded, by graph id. */
  private readonly kept = new Map<number, Parts>();
  /** Callbacks for the main thread's answers, by the number of the message that asked for them. */
  private readonly waiting = new Map<number, (answer: PartsAnswer) => void>();
  private readonly copies: PartCopies;
  private asked = 0;
  private loads = 0;

  constructor(private readonly post: (message: PartsMessage) => void) {
    this.copies = new PartCopies(id => this.post({ did: 'free', id }));
  }

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

  async loadLarge(graphId: number): Promise<LargeLoad> {
    const { asked } = await this.ask<'turn'>(asked => ({ did: 'ask turn', asked, graphId }));
    let told = 0;
    return {
      took: bytes => {
        if (bytes < told + toldBytes) return;
        told = bytes;
        this.post({ did: 'grow', asked, bytes });
      },
      end: () => this.post({ did: 'end turn', asked }),
    };
  }

  /** Handles an answer of the main thread. */
  heard(answer: PartsAnswer): void {
    this.waiting.get(answer.asked)?.(answer);
    this.waiting.delete(answer.asked);
  }

  drop(graphId: number): void {
    this.graphs.delete(graphId);
  }

  /** Forgets the parts of versions before `version`, except those that are kept. */
  outdated(graphId: number, version: number): void {
    if ((this.graphs.get(graphId)?.version ?? version) < version) this.graphs.delete(graphId);
  }

  private partsOf({ graphId, version }: PartKey): Map<string, Part> | undefined {
    return [this.graphs, this.kept].map(graphs => graphs.get(graphId)).find(graph => graph?.version === version)?.parts;
  }

  private async claimOrLoad<T extends object>(key: PartKey, load: (before: PartBefore | null) => Promise<T>): Promise<T> {
    const { part, before } = await this.ask<'take'>(asked => ({ did: 'claim', asked, key }));
    if (part !== null) return this.watched(part) as T;
    try {
      const record = await load(before && { ...before, topology: this.watched(before.topology), part: this.watched(before.part) });
      const loaded = { id: `${threadId}.${++this.loads}`, record };
      this.watched(loaded);
      this.post({ did: 'load', key, part: loaded });
      return record;
    } catch (error) {
      this.post({ did: 'load', key, part: null });
      throw error;
    }
  }

  private ask<Do extends PartsAnswer['do']>(question: (asked: number) => PartsMessage): Promise<Extract<PartsAnswer, { do: Do }>> {
    const asked = ++this.asked;
    return new Promise(resolve => {
      this.waiting.set(asked, answer => resolve(answer as Extract<PartsAnswer, { do: Do }>));
      this.post(question(asked));
    });
  }

  private watched(part: SharedPart): object {
    this.copies.watch(part);
    return part.record;
  }
}
