import { sharedUint8 } from '../../src/graph-index/shared-arrays.js';
import { type PartsAnswer, type PartsMessage } from '../../src/retrieval/process/threads/messages.js';
import { PartsBroker } from '../../src/retrieval/process/threads/parts-broker.js';
import { type PartKey } from '../../src/retrieval/process/threads/shared-parts.js';

export type Taken = Extract<PartsAnswer, { do: 'take' }>;

/** The thread that speaks to the broker if a test names no other. */
export const thread = {};
export const record = (bytes: number) => ({ data: sharedUint8(bytes) });
export const key = (graphId: number, name = 'topology', version = 1) => ({ graphId, version, name });

/** A broker of parts with what it told its threads, and the messages that threads send it. */
export class PartsStand {
  readonly dropped: number[] = [];
  readonly released: number[] = [];
  collections = 0;
  readonly broker: PartsBroker;
  private parts = 0;

  constructor(budgetBytes = 1_000) {
    this.broker = new PartsBroker(budgetBytes, {
      drop: graphId => this.dropped.push(graphId),
      release: graphId => this.released.push(graphId),
      outdated: () => undefined,
      collect: () => this.collections++,
    });
  }

  say(message: PartsMessage, by: object = thread, answer: (answer: PartsAnswer) => void = () => undefined): void {
    this.broker.heard(by, message, answer);
  }

  looks(count: number): void {
    for (let look = 0; look < count; look++) this.broker.look();
  }

  /** Claims a part. Returns a list to which each answer is added when it arrives. */
  claim<T = object | null>(
    graphId: number,
    name?: string,
    version?: number,
    by?: object,
    of: (taken: Taken) => T = ({ part }) => (part?.record ?? null) as T,
  ): T[] {
    const answers: T[] = [];
    this.say({ did: 'claim', asked: 1, key: key(graphId, name, version) }, by, answer => answers.push(of(answer as Taken)));
    return answers;
  }

  loaded(part: PartKey, found: object | null, by: object = thread): void {
    this.say({ did: 'load', key: part, part: found && { id: String(++this.parts), record: found } }, by);
  }

  hold(graphId: number, version: number, by: object, bytes: number): void {
    this.say({ did: 'hold', graphId, version, bytes }, by);
  }

  keep(graphId: number, version: number, by: object): void {
    this.say({ did: 'keep', graphId, version }, by);
  }

  release(graphId: number, version: number, by: object): void {
    this.say({ did: 'release', graphId, version }, by);
  }
}
