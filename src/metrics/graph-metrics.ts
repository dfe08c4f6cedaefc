import { Pace } from '../common/turns/pace.js';
import { referencesIn } from './formula/keep-outlines.js';
import { type MetricName, type MetricRow } from './metric-rows.js';
import { type FindMetrics, maxReferences, type MetricDefinition } from './plan/resolve-metric.js';

/**
 * Maximum number of metrics' rows in memory. If there are more, `reach` drops all of them before it reads others. A binding may take a
 * quarter of a megabyte.
 */
const mostKept = 200;

/**
 * The metrics of a graph, for looking up references in formulas. The object has the names and formulas of all metrics, and the bindings of
 * those that were needed.
 */
export class GraphMetrics {
  /** The metrics that an exact name means. The metric's own name wins over aliases of others. */
  private readonly named = new Map<string, MetricName[]>();
  /** All metrics with a name or alias, by the name in lower case, the oldest metric first. */
  private readonly sharers = new Map<string, MetricName[]>();
  private readonly rows = new Map<number, MetricRow>();
  /** The metrics that a formula refers to, by the text of the formula. */
  private readonly targets = new Map<string, MetricName[]>();

  /** @param all metrics of the graph, oldest first */
  constructor(
    readonly all: readonly MetricName[],
    private readonly readRows: (ids: number[]) => Promise<MetricRow[]>,
  ) {
    for (const metric of all) this.named.set(metric.name, [metric]);
    for (const metric of all) {
      for (const alias of new Set(metric.aliases)) {
        const owners = this.named.get(alias);
        if (!owners) this.named.set(alias, [metric]);
        else if (owners[0]!.name !== alias) owners.push(metric);
      }
      for (const name of new Set([metric.name, ...metric.aliases].map(own => own.toLowerCase()))) {
        const sharers = this.sharers.get(name);
        if (sharers) sharers.push(metric);
        else this.sharers.set(name, [metric]);
      }
    }
  }

  /** Finds the metrics that `[name]` in a formula may mean, oldest first. A metric has its binding once `reach` has read it. */
  readonly find: FindMetrics = name => this.fitting(name).map(metric => toDefinition(metric, this.rows.get(metric.id)));

  /** The metrics with exactly this name, or if there are none, with the name in another case. */
  private fitting(name: string): readonly MetricName[] {
    return this.named.get(name) ?? this.sharers.get(name.toLowerCase()) ?? [];
  }

  /** The oldest other metric that has this name or alias, in any case. */
  findOther(id: number, name: string): MetricName | undefined {
    return this.sharers.get(name.toLowerCase())?.find(metric => metric.id !== id);
  }

  /** The metrics whose formulas refer to one of these names. A name that a metric still has is ignored. */
  async callersOf(names: readonly string[]): Promise<MetricName[]> {
    const gone = names.filter(name => this.fitting(name).length === 0).map(name => name.toLowerCase());
    const written = gone.map(name => name.replaceAll(']', ']]'));
    const callers: MetricName[] = [];
    const pace = new Pace();
    for (const metric of gone.length > 0 ? this.all : []) {
      if (pace.isOverdue) await pace.turn();
      const lower = metric.formula.toLowerCase();
      if (!written.some(name => lower.includes(name))) continue;
      if (referencesIn(metric.formula).some(({ name }) => gone.includes(name.toLowerCase()))) callers.push(metric);
    }
    return callers;
  }

  /** Reads the bindings of these metrics and of all metrics that their formulas lead to, so that all can be resolved. */
  async reach(metrics: readonly { id: number; formula: string }[]): Promise<void> {
    if (this.rows.size > mostKept) this.rows.clear();
    const pace = new Pace();
    const reached = new Set<number>();
    for (const metric of metrics) for (const id of await this.reachedFrom(metric, pace)) reached.add(id);
    const missing = [...reached].filter(id => !this.rows.has(id));
    for (const row of missing.length > 0 ? await this.readRows(missing) : []) this.rows.set(row.id, row);
  }

  /** Keeps the row of a metric that was read elsewhere, so that a large binding is not read twice. */
  keep(row: MetricRow): void {
    this.rows.set(row.id, row);
  }

  /** The row of a metric. Undefined if `reach` has not read it. */
  row(id: number): MetricRow | undefined {
    return this.rows.get(id);
  }

  /** The metric, among those already read, that has this binding. @throws Error if there is none */
  ownerOf(binding: object): MetricRow {
    const owner = [...this.rows.values()].find(row => row.binding?.bound === binding);
    if (!owner) throw new Error('The binding belongs to no metric that was read');
    return owner;
  }

  /**
   * The ids of the metrics that a formula reaches through references. At most `maxReferences` references are followed: a formula with more
   * is refused before any binding is needed.
   */
  private async reachedFrom(start: { id: number; formula: string }, pace: Pace): Promise<Set<number>> {
    const reached = new Set([start.id]);
    const open = [start];
    let followed = 0;
    for (let metric = open.pop(); metric; metric = open.pop()) {
      if (pace.isOverdue) await pace.turn();
      for (const target of this.targetsOf(metric.formula)) {
        if (++followed > maxReferences) return reached;
        if (reached.has(target.id)) continue;
        reached.add(target.id);
        open.push(target);
      }
    }
    return reached;
  }

  /**
   * The metrics that a formula refers to. Empty for a formula that does not parse. A name that several metrics share is skipped, because it
   * will be refused.
   */
  private targetsOf(formula: string): MetricName[] {
    const known = this.targets.get(formula);
    if (known) return known;
    const targets = referencesIn(formula).flatMap(({ name }) => {
      const [target, ...others] = this.fitting(name);
      return target && others.length === 0 ? target : [];
    });
    this.targets.set(formula, targets);
    return targets;
  }
}

export function toDefinition({ id, name, formula }: MetricName, row: MetricRow | undefined): MetricDefinition {
  return { id, name, formula, binding: row?.binding?.bound ?? null };
}
