import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Principal } from '../access/principal.js';
import { inLimitedTurns, Pace } from '../common/turns/pace.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { type ColumnSource, sourceOf } from './column-source.js';
import { describeInSteps, isLongToDescribe, type MetricDescription } from './describe-metric.js';
import { metricNames } from './formula/formula-tree.js';
import { parseFormula } from './formula/parse-formula.js';
import { readFormula } from './formula/read-formula.js';
import { type ParseFormulaResponse } from './metrics.dto.js';
import { TooManyMetricNamesError } from './metrics.errors.js';
import { MetricTurns } from './metric-turns.js';
import { MetricsRepository } from './metrics.repository.js';
import { guardFormula } from './plan/guard-formula.js';

/** A metric, described for question answering. */
export interface CatalogEntry {
  id: number;
  name: string;
  aliases: string[];
  unit: string | null;
  dimensions: { name: string; aliases: string[]; source: ColumnSource | null }[];
  /** Whether the sum of the metric's values over groups equals its value over all rows. */
  is_additive: boolean;
  /**
   * Whether the metric counts rows or keys. False for any other aggregate, such as a sum. Null for a formula that is not a single
   * aggregate.
   */
  counts: boolean | null;
  has_time: boolean;
  /** Whether a request for the metric must give a grain or a range. */
  needs_periods: boolean;
  /** The time zones of the metric's bindings. Empty if no binding has a time column. */
  timezones: string[];
  /** Whether the time zone decides in which period a row lies. */
  has_moments: boolean;
}

interface KeptCatalog {
  version: string;
  /**
   * The work that reads the entries of this catalog. It starts when `reading` of the previous version has ended. It gives null if a newer
   * version has replaced the catalog by then. It must not wait for `entries` of another catalog: these may wait for a newer catalog.
   */
  reading: Promise<CatalogEntry[] | null>;
  entries: Promise<CatalogEntry[]>;
}

/** Maximum kept catalogs, and maximum bytes of their JSON together. */
const mostCatalogs = { count: 100, bytes: 20_000_000 };
/** Maximum bytes of one catalog as JSON. It is sent with every question, and retrieval accepts 2 MiB. */
const mostBytes = 1_700_000;
const describedAtOnce = 50;

/** Parses formulas, and lists the metrics of a graph for question answering. */
@Injectable()
export class MetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly turns: MetricTurns,
  ) {}

  private readonly catalogs = new LRUCache<number, KeptCatalog>({ max: mostCatalogs.count, maxSize: mostCatalogs.bytes });

  async onModuleInit(): Promise<void> {
    await loadSqlParser();
  }

  /** @throws FormulaParseError; UnsafeFilterClauseError for SQL that no binding could make admissible; MetricsBusyError */
  parse(principal: Principal, formula: string): Promise<ParseFormulaResponse> {
    return this.turns.run({ caller: principal.userId }, async () => {
      const { pattern, root } = parseFormula(formula);
      await inLimitedTurns(guardFormula(root, formula));
      return { pattern, reading: readFormula(root), metrics: metricNames(root), executable: true, tree: root };
    });
  }

  /**
   * The metrics of a graph that can be executed. They are computed once after each change of a metric or a binding of the graph.
   * @throws TooManyMetricNamesError, MetricsBusyError
   */
  async catalog(graphId: number): Promise<CatalogEntry[]> {
    const version = await this.metrics.versionOf(graphId);
    let catalog = this.catalogs.get(graphId);
    if (catalog?.version !== version) {
      // One catalog of a graph is read at a time. A catalog that a newer version has replaced meanwhile is not read; its callers get the
      // newer catalog.
      const reading: KeptCatalog['reading'] = Promise.allSettled([catalog?.reading]).then(() =>
        this.catalogs.get(graphId)?.reading === reading ? this.readCatalog(graphId) : null,
      );
      const entries = reading.then(read => read ?? this.catalog(graphId));
      entries.catch((error: unknown) => {
        // A catalog that failed is dropped, so that the next request tries again. Only too many names is a lasting failure.
        const isOfMoment = !(error instanceof TooManyMetricNamesError);
        if (isOfMoment && this.catalogs.get(graphId)?.entries === entries) this.catalogs.delete(graphId);
      });
      catalog = { version, reading, entries };
      this.catalogs.set(graphId, catalog, { size: mostBytes });
    }
    return catalog.entries;
  }

  private async readCatalog(graphId: number): Promise<CatalogEntry[]> {
    const graph = await this.metrics.openGraph(graphId);
    const pace = new Pace();
    const entries: CatalogEntry[] = [];
    let bytes = 1;
    for (let from = 0; from < graph.all.length; from += describedAtOnce) {
      const some = graph.all.slice(from, from + describedAtOnce);
      await graph.reach(some);
      for (const { id, name, aliases, unit } of some) {
        const row = graph.row(id);
        if (!row) continue;
        const describing = (): Promise<MetricDescription> => inLimitedTurns(describeInSteps(row, graph), pace);
        const { executable, dimensions, hasTime, hasMoments, needsPeriods, timezones, isAdditive, counts } = await (isLongToDescribe(row)
          ? this.turns.run({ caller: `catalog of ${graphId}` }, describing)
          : describing());
        if (!executable) continue;
        const binding = row.binding?.bound;
        const named = dimensions.map(each => ({
          name: each.name,
          aliases: each.aliases,
          source: binding ? sourceOf(each, binding) : null,
        }));
        const times = { has_time: hasTime, has_moments: hasMoments, needs_periods: needsPeriods, timezones };
        const entry = { id, name, aliases, unit, dimensions: named, is_additive: isAdditive, counts, ...times };
        bytes += Buffer.byteLength(JSON.stringify(entry));
        if (bytes > mostBytes) throw new TooManyMetricNamesError();
        entries.push(entry);
      }
    }
    // Until now the cache counted the catalog with the maximum size. The cache updates the size only for a new object, so the catalog is
    // copied.
    const kept = this.catalogs.get(graphId);
    if (kept) this.catalogs.set(graphId, { ...kept }, { size: bytes });
    return entries;
  }
}
