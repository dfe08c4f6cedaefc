import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';
import { Lexicon } from './lexicon.js';
import { withSynonyms } from './synonyms-of-schema.js';

/** A name takes up some 500 bytes. */
const mostNames = 200_000;

interface Kept {
  lexicon: Lexicon;
  /** What it names besides the schema. */
  of: string;
  names: number;
}

/** Keeps the lexicons of graphs that were asked lately: one of 84,000 names takes more than a second to build. */
export class KeptLexicons {
  private readonly kept = new LRUCache<GraphSchema, Kept>({ maxSize: mostNames, sizeCalculation: ({ names }) => names });

  /** @param schema the same object as long as the graph does not change */
  async of(schema: GraphSchema, metrics: MetricEntry[], synonyms: readonly Synonym[], pace: Pace): Promise<Lexicon> {
    const of = hash('sha256', JSON.stringify([metrics, synonyms]));
    const kept = this.kept.get(schema);
    if (kept?.of === of) return kept.lexicon;
    const named = withSynonyms(schema, metrics, synonyms);
    const lexicon = await Lexicon.build(named.schema, named.metrics, pace);
    this.kept.set(schema, { lexicon, of, names: lexicon.size });
    return lexicon;
  }
}
