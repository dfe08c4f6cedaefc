import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { type RetrievalAnswer } from '../retrieval/protocol.js';
import { type AnswerShare, type AskedAnswer, type NewAnswer, QueriesRepository, type StoredAnswer } from './queries.repository.js';
import { serialiseAnswer } from './serialise-answer.js';

/** Maximum bytes of answers that wait in memory until their rows are written. Further answers are not stored. */
const mostPendingBytes = 32 * 1024 * 1024;
/**
 * A part of a graph's share. After more new answers than this part, by bytes or by number, the graph's answers are cut to the share at
 * once. Otherwise the sweep cuts them.
 */
const trimmedAtPart = 1 / 8;

type Entry = Omit<NewAnswer, 'createdAt' | 'text' | 'bytes'> & { answer: RetrievalAnswer };
type Pending = NewAnswer & { answer: RetrievalAnswer };

/** Stores answers after the response: an answer has its id at once, and its row is written later. */
@Injectable()
export class AnswerStore implements BeforeApplicationShutdown {
  private readonly pending = new Map<number, Pending>();
  private pendingBytes = 0;
  private readonly saving = new Map<number, Promise<void>>();
  /** The number and bytes of the answers stored since the last cut, by graph id. */
  private readonly uncut = new Map<number, { bytes: number; count: number }>();
  private readonly share: AnswerShare;

  constructor(
    private readonly queries: QueriesRepository,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {
    this.share = { bytes: settings.answersMaxMb * 1024 * 1024, count: settings.answersMaxCount };
  }

  /** Queues an answer to be stored. Its id becomes null if the answer is too large to be stored, or if too many bytes are waiting. */
  keep(entry: Entry): Omit<StoredAnswer, 'id'> & { id: number | null } {
    const { id, version, answer } = entry;
    const createdAt = new Date();
    const serialised = serialiseAnswer(answer, this.settings.storedAnswerMaxKb * 1024);
    if (!serialised || this.pendingBytes + serialised.bytes > mostPendingBytes) return { id: null, version, answer, createdAt };
    this.pendingBytes += serialised.bytes;
    this.begin({ ...entry, ...serialised, createdAt });
    return { id, version, answer, createdAt };
  }

  /** Resolves once the answer's row is written, or will certainly not be written. */
  async whenSaved(id: number | null): Promise<void> {
    await (id === null ? null : this.saving.get(id));
  }

  /** The newest answer with this hash whose row is not written yet. */
  findPending(graphId: number, hash: Buffer, version: number): StoredAnswer | null {
    const isWanted = (entry: Pending) => entry.graphId === graphId && entry.version === version && entry.hash.equals(hash);
    return [...this.pending.values()].findLast(isWanted) ?? null;
  }

  findPendingById(graphId: number, id: number): AskedAnswer | null {
    const entry = this.pending.get(id);
    return entry?.graphId === graphId ? { ...entry, isOfEarlierVersion: false } : null;
  }

  /** Removes at most `most` answers that are older than the kept time. @returns how many were removed */
  removeOld(client: PoolClient, most: number): Promise<number> {
    return this.queries.removeOld(client, this.settings.answersKeptDays, most);
  }

  /** Removes at most `most` claims of processes that have ended. @returns how many were removed */
  removeOldClaims(client: PoolClient, most: number): Promise<number> {
    return this.queries.removeOldClaims(client, most);
  }

  /** Removes at most `most` of the oldest answers of graphs that exceed their share. @returns how many were removed */
  removeBeyondShare(client: PoolClient, most: number): Promise<number> {
    return this.queries.removeBeyondShare(client, this.share, most);
  }

  /** Waits until the rows of all queued answers are written. Must run before the pools close. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.saving.values());
  }

  private begin(entry: Pending): void {
    this.pending.set(entry.id, entry);
    const saved = this.save(entry).finally(() => {
      this.pending.delete(entry.id);
      this.pendingBytes -= entry.bytes;
      this.saving.delete(entry.id);
    });
    this.saving.set(entry.id, saved);
  }

  private async save(entry: NewAnswer): Promise<void> {
    const warn = (message: string) => (cause: unknown) => {
      this.log.warn({ cause }, message);
      return false;
    };
    const saving = this.queries.save(entry).then(() => true);
    if (!(await saving.catch(warn('答案未能保存 / The answer was not stored')))) return;
    await this.cut(entry).catch(warn('旧答案未能清理，将由定期清理完成 / Older answers were not removed; the sweep will do it'));
  }

  /** Cuts a graph's answers to its share between two sweeps, so that the graph stays near it even when answers come fast. */
  private async cut({ graphId, bytes }: NewAnswer): Promise<void> {
    const before = this.uncut.get(graphId) ?? { bytes: 0, count: 0 };
    const now = { bytes: before.bytes + bytes, count: before.count + 1 };
    this.uncut.set(graphId, now);
    if (now.bytes <= this.share.bytes * trimmedAtPart && now.count <= this.share.count * trimmedAtPart) return;
    this.uncut.delete(graphId);
    await this.queries.cutToShare(graphId, this.share);
  }
}
