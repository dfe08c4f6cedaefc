import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { LOG } from '../common/logging/log.js';
import { type NewAnswer, QueriesRepository, type StoredAnswer } from './queries.repository.js';

/** Larger answers are not kept: reading them back costs about what computing them does. */
const LARGEST_KEPT_BYTES = 512 * 1024;
const SAVES_BETWEEN_CLEANUPS = 500;

type Entry = Omit<NewAnswer, 'id' | 'createdAt'>;

/** Keeps answers behind the response: an answer has its id at once and its row a moment later. */
@Injectable()
export class AnswerStore implements BeforeApplicationShutdown {
  private readonly pending = new Map<number, NewAnswer>();
  private readonly saving = new Set<Promise<void>>();
  private saves = 0;

  constructor(
    private readonly queries: QueriesRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Takes the answer for storing; the id is null when it is too large to be kept. */
  async keep(entry: Entry): Promise<Omit<StoredAnswer, 'id'> & { id: number | null }> {
    const { version, answer } = entry;
    const createdAt = new Date();
    if (sizeOf(answer) > LARGEST_KEPT_BYTES) return { id: null, version, answer, createdAt };
    const id = await this.queries.nextId();
    this.pending.set(id, { ...entry, id, createdAt });
    const saved = this.save({ ...entry, id, createdAt }).finally(() => {
      this.pending.delete(id);
      this.saving.delete(saved);
    });
    this.saving.add(saved);
    return { id, version, answer, createdAt };
  }

  findPending(graphId: number, hash: Buffer, version: number): StoredAnswer | null {
    for (const entry of this.pending.values()) {
      if (entry.graphId === graphId && entry.version === version && entry.hash.equals(hash)) return entry;
    }
    return null;
  }

  findPendingById(graphId: number, id: number): StoredAnswer | null {
    const entry = this.pending.get(id);
    return entry?.graphId === graphId ? entry : null;
  }

  /** Before the pools close. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.saving);
  }

  private async save(entry: NewAnswer): Promise<void> {
    try {
      await this.queries.save(entry);
      if (++this.saves % SAVES_BETWEEN_CLEANUPS === 0) await this.queries.deleteOld();
    } catch (error) {
      this.log.warn({ cause: error }, '答案未能保存 / The answer was not stored');
    }
  }
}

/** A quick estimate that never builds the whole text of a large answer: rows decide. */
function sizeOf(answer: { rows: unknown[][] }): number {
  const sample = answer.rows.slice(0, 50);
  if (sample.length === 0) return 0;
  return (JSON.stringify(sample).length / sample.length) * answer.rows.length;
}
