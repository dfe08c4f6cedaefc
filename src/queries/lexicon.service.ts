import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { SchemaError } from '../common/errors/api-error.js';
import { FairShare } from '../common/turns/fair-share.js';
import { GraphsService } from '../graphs/graphs.service.js';
import { afterId, type Page, page, type PageQuery } from '../http/paging/page.js';
import { MetricsService } from '../metrics/metrics.service.js';
import { type Synonym } from '../questions/vocabulary.js';
import { checkSynonyms, type KnownName, type PlacedSynonym } from './check-synonyms.js';
import { type AddSynonymsRequest, type AddSynonymsResponse, type SynonymResponse, toSynonymResponse } from './lexicon.dto.js';
import { LexiconRepository, mostSynonyms } from './lexicon.repository.js';
import { LexiconBusyError, TooManySynonymsError } from './queries.errors.js';
import { readSynonymsCsv } from './read-synonyms-csv.js';

/** Bounds on concurrent checks of new synonyms. 2,000 of them take about a second of the processor. */
const places = { places: 2, mostPerCaller: 1, waitingPerCaller: 8, waiting: 40, patienceMs: 10_000 };

/** The synonyms that editors give to the names of a graph and of its metrics. */
@Injectable()
export class LexiconService {
  private readonly checks = new FairShare({ ...places, refuse: retryAfterS => new LexiconBusyError(retryAfterS) });

  constructor(
    private readonly lexicon: LexiconRepository,
    private readonly graphs: GraphsService,
    private readonly metrics: MetricsService,
    private readonly audit: AuditService,
  ) {}

  async list(graphId: number, { limit, cursor }: PageQuery): Promise<Page<SynonymResponse>> {
    const { items, next_cursor } = page(await this.lexicon.list(graphId, afterId(cursor), limit + 1), limit, row => row.id);
    return { items: items.map(toSynonymResponse), next_cursor };
  }

  /**
   * Adds synonyms to a graph.
   * @throws SchemaError for names that the graph and its metrics do not have, and for clashes; TooManySynonymsError; LexiconBusyError
   */
  async add(principal: Principal, graphId: number, body: AddSynonymsRequest): Promise<AddSynonymsResponse> {
    const placed = read(body);
    const [names, known] = await Promise.all([this.namesOf(graphId), this.lexicon.synonyms(graphId)]);
    this.requireRoom(placed, known);
    const problems = await this.checks.run({ caller: principal.userId }, () =>
      checkSynonyms(placed, names, known, body.allow_clashes ?? false),
    );
    if (problems.length > 0) throw new SchemaError(problems);
    const synonyms = placed.map(({ at: _, ...synonym }) => synonym);
    const added = await this.audit.recordWith(
      client => this.lexicon.add(client, graphId, principal.userId, synonyms),
      count =>
        count === 0 ? null : { action: 'lexicon.added', actor: principal, target: 'graph', targetId: graphId, context: { added: count } },
    );
    return { added, unchanged: synonyms.length - added };
  }

  /** Removes a synonym of the graph. @throws SynonymNotFoundError */
  async remove(principal: Principal, graphId: number, id: number): Promise<void> {
    await this.audit.recordWith(
      client => this.lexicon.remove(client, graphId, id),
      removed => ({ action: 'lexicon.removed', actor: principal, target: 'graph', targetId: graphId, context: { ...removed } }),
    );
  }

  /**
   * Checks the number of synonyms first, so that a request with too many fails before thousands are checked.
   * @throws TooManySynonymsError
   */
  private requireRoom(placed: readonly Synonym[], known: readonly Synonym[]): void {
    const all = new Set([...known, ...placed].map(keyOf));
    if (all.size > mostSynonyms) throw new TooManySynonymsError(mostSynonyms);
  }

  private async namesOf(graphId: number): Promise<KnownName[]> {
    const [{ nodes, edges }, metrics] = await Promise.all([this.graphs.schema(graphId), this.metrics.catalog(graphId)]);
    return [
      ...nodes.flatMap(({ label, aliases, labels }) => [
        { kind: 'label' as const, name: label, aliases },
        ...labels.map(further => ({ kind: 'label' as const, name: further.name, aliases: further.aliases })),
      ]),
      ...edges.map(({ type, aliases }) => ({ kind: 'relation' as const, name: type, aliases })),
      ...[...nodes, ...edges].flatMap(({ properties }) => properties.map(({ name }) => ({ kind: 'property' as const, name, aliases: [] }))),
      ...metrics.flatMap(({ name, aliases, dimensions }) => [
        { kind: 'metric' as const, name, aliases },
        ...dimensions.map(dimension => ({ kind: 'dimension' as const, name: dimension.name, aliases: dimension.aliases })),
      ]),
    ];
  }
}

/** The synonyms of a request, from its `entries` or its `csv`, each with its place in the request. @throws SchemaError */
function read({ entries, csv }: AddSynonymsRequest): PlacedSynonym[] {
  if ((entries === undefined) === (csv === undefined)) {
    const text = { zh: '请给出 entries 与 csv 之一', en: 'give one of entries and csv' };
    throw new SchemaError([{ loc: ['body', 'entries'], text, type: 'one_of' }]);
  }
  const placed =
    csv !== undefined
      ? readSynonymsCsv(csv)
      : (entries ?? []).flatMap(({ kind, name, synonyms }, index) =>
          synonyms.map((synonym, place): PlacedSynonym => ({ kind, name, synonym, at: ['body', 'entries', index, 'synonyms', place] })),
        );
  return [...new Map(placed.map(synonym => [keyOf(synonym), { ...synonym, synonym: synonym.synonym.trim() }])).values()];
}

function keyOf({ kind, name, synonym }: Synonym): string {
  return JSON.stringify([kind, name, synonym]);
}
