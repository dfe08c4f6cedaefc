import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Synonym } from '../questions/vocabulary.js';
import { LexiconRepository } from './lexicon.repository.js';

/** Maximum characters of all kept synonyms. The synonyms of one graph have up to 0.4 million characters. */
const mostCharacters = 16_000_000;
const charactersOfNone = 64;

/**
 * Keeps the synonyms of graphs in memory, because they are sent with every question: reading and hashing 2,000 of them took some 25 ms for
 * each question. Their version is read from the database each time, so a change by any process counts at once.
 */
@Injectable()
export class KeptLexicons {
  private readonly kept = new LRUCache<number, { version: string; synonyms: Synonym[] }>({
    maxSize: mostCharacters,
    sizeCalculation: ({ synonyms }) =>
      synonyms.reduce((sum, { name, synonym }) => sum + name.length + synonym.length + charactersOfNone, charactersOfNone),
  });
  /** Reads in progress, by graph and version: after a change, no request joins a read that began before the change. */
  private readonly reading = new Map<string, Promise<Synonym[]>>();

  constructor(private readonly lexicon: LexiconRepository) {}

  /**
   * The synonyms of a graph, in an order that depends only on the synonyms. The same list object is returned until something changes, so
   * callers must not modify it.
   */
  async synonyms(graphId: number): Promise<readonly Synonym[]> {
    const version = await this.lexicon.versionOf(graphId);
    const kept = this.kept.get(graphId);
    if (kept?.version === version) return kept.synonyms;
    const key = `${graphId} ${version}`;
    let read = this.reading.get(key);
    if (!read) {
      read = this.read(graphId).finally(() => this.reading.delete(key));
      this.reading.set(key, read);
    }
    return read;
  }

  private async read(graphId: number): Promise<Synonym[]> {
    const lexicon = await this.lexicon.readAll(graphId);
    this.kept.set(graphId, lexicon);
    return lexicon.synonyms;
  }
}
