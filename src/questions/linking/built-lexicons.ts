import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Pace } from '../../common/turns/pace.js';
import { type GraphSchema } from '../../cypher/semantics/graph-schema.js';
import { type MetricEntry, type Synonym } from '../vocabulary.js';
import { Lexicon, mostMeanings, TooManyMeaningsError } from './lexicon.js';
import { withSynonyms } from './synonyms-of-schema.js';

interface Built {
  /** The lexicon of the graph; null if it would have too many meanings. */
  lexicon: Lexicon | null;
  schema: GraphSchema;
  /** Hash of the metrics and synonyms, whose names the lexicon contains besides the names of the schema. */
  digest: string;
}

/** Cache of the lexicons of the graphs that were asked about most recently. A lexicon of 84,000 names takes more than a second to build. */
export class BuiltLexicons {
  /** Lexicons by id of the graph. All lexicons of a thread together have at most as many meanings as a single lexicon may have. */
  private readonly built = new LRUCache<number, Built>({ maxSize: mostMeanings, sizeCalculation: ({ lexicon }) => lexicon?.size ?? 1 });

  /** Returns a cached lexicon or builds it. @param schema the same object until the graph changes @throws TooManyMeaningsError */
  async get(graphId: number, schema: GraphSchema, metrics: MetricEntry[], synonyms: readonly Synonym[], pace: Pace): Promise<Lexicon> {
    const digest = hash('sha256', JSON.stringify([metrics, synonyms]));
    const known = this.built.get(graphId);
    const isSame = known?.schema === schema && known.digest === digest;
    const { lexicon } = isSame ? known : await this.build(graphId, { schema, digest }, withSynonyms(schema, metrics, synonyms), pace);
    if (lexicon === null) throw new TooManyMeaningsError();
    return lexicon;
  }

  private async build(graphId: number, of: Omit<Built, 'lexicon'>, named: ReturnType<typeof withSynonyms>, pace: Pace): Promise<Built> {
    this.built.delete(graphId);
    const lexicon = await Lexicon.build(named.schema, named.metrics, pace).catch((error: unknown) => {
      if (error instanceof TooManyMeaningsError) return null;
      throw error;
    });
    const built = { lexicon, ...of };
    this.built.set(graphId, built);
    return built;
  }
}
