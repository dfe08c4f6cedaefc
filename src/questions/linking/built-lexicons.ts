import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';
import { Lexicon, mostMeanings } from './lexicon.js';
import { withSynonyms } from './synonyms-of-schema.js';

interface Built {
  lexicon: Lexicon;
  schema: GraphSchema;
  /** Of what it names besides the schema. */
  digest: string;
}

/** Keeps the lexicons of graphs that were asked lately: one of 84,000 names takes more than a second to build. */
export class BuiltLexicons {
  /** All of a thread have as many meanings as one may have. */
  private readonly built = new LRUCache<number, Built>({ maxSize: mostMeanings, sizeCalculation: ({ lexicon }) => lexicon.size });

  /** @param schema the same object as long as the graph does not change @throws TooManyMeaningsError */
  async get(graphId: number, schema: GraphSchema, metrics: MetricEntry[], synonyms: readonly Synonym[], pace: Pace): Promise<Lexicon> {
    const digest = hash('sha256', JSON.stringify([metrics, synonyms]));
    const known = this.built.get(graphId);
    if (known?.schema === schema && known.digest === digest) return known.lexicon;
    this.built.delete(graphId);
    const named = withSynonyms(schema, metrics, synonyms);
    const lexicon = await Lexicon.build(named.schema, named.metrics, pace);
    this.built.set(graphId, { lexicon, schema, digest });
    return lexicon;
  }
}
