import { type UndatedCount } from './question-plan.js';
import { type Hop } from './schema-paths.js';

interface WrittenNode {
  variable: string;
  label: string;
  /** Hops from the target `t` to the node. */
  way: Hop[];
}

/** A property that holds a date, and the variable of the node or edge that has it in the pattern. */
interface DatePlace extends Omit<UndatedCount, 'cypher'> {
  variable: string;
}

/** Builds a Cypher text from parts. Values become parameters, and names are quoted where necessary. `t` is the target that is asked for. */
export class CypherWriter {
  /** ORDER BY expression that puts the node named in the question last; null if the question names no node. */
  named: string | null = null;
  readonly parameters: Record<string, unknown> = {};
  readonly nodes: WrittenNode[] = [];
  readonly edges: { variable: string; type: string }[] = [];
  private readonly patterns: string[] = [];
  private readonly conditions: string[] = [];
  /** The conditions that a date must meet. `period` only asks for a date, because the plan groups by it. */
  private readonly dated: { condition: string; date: DatePlace; as: 'limit' | 'period' }[] = [];
  private optional = '';

  constructor(readonly target: string) {
    this.nodes.push({ variable: 't', label: target, way: [] });
  }

  /** Adds a path from a node, by default from `t`, and returns the variable of its far end. */
  addPath(hops: Hop[], from = 't'): string {
    const { pattern, end } = this.patternOf(hops, from, true);
    this.patterns.push(pattern);
    return end;
  }

  /** A condition that a path exists. `conditionOf` limits its far end. */
  exists(hops: Hop[], from: string, conditionOf: (end: string) => string | null): string {
    const { pattern, end } = this.patternOf(hops, from, false);
    const condition = conditionOf(end);
    return `EXISTS { MATCH ${pattern}${condition === null ? '' : ` WHERE ${condition}`} }`;
  }

  /** Adds an OPTIONAL MATCH of a path from `t`, because some `t` may have no node at the far end. Returns the variable of the far end. */
  addOptionalPath(hops: Hop[], conditionOf: (end: string) => string | null): string {
    const { pattern, end } = this.patternOf(hops, 't', true);
    const condition = conditionOf(end);
    this.optional += ` OPTIONAL MATCH ${pattern}${condition === null ? '' : ` WHERE ${condition}`}`;
    return end;
  }

  private patternOf(hops: Hop[], from: string, isBound: boolean): { pattern: string; end: string } {
    const start = this.nodes.find(({ variable }) => variable === from);
    let pattern = `(${from}:${quoteName(start?.label ?? this.target)})`;
    let [end, way] = [from, start?.way ?? []];
    for (const hop of hops) {
      const edge = `r${this.edges.length + 1}`;
      end = `n${this.nodes.length}`;
      way = [...way, hop];
      if (isBound) this.edges.push({ variable: edge, type: hop.type });
      else this.edges.push({ variable: edge, type: '' });
      this.nodes.push({ variable: end, label: isBound ? hop.to : '', way });
      const bracket = isBound ? `[${edge}:${quoteName(hop.type)}]` : `[:${quoteName(hop.type)}]`;
      pattern += `${hop.direction === 'out' ? `-${bracket}->` : `<-${bracket}-`}(${end}:${quoteName(hop.to)})`;
    }
    return { pattern, end };
  }

  parameter(value: unknown): string {
    const name = `p${Object.keys(this.parameters).length + 1}`;
    this.parameters[name] = value;
    return `$${name}`;
  }

  where(condition: string): void {
    this.conditions.push(condition);
  }

  /** Adds a condition on a date, which leaves out what has no date. `undated` counts that. */
  whereDated(condition: string, date: DatePlace, as: 'limit' | 'period'): void {
    this.where(condition);
    this.dated.push({ condition, date, as });
  }

  passes(label: string): boolean {
    return this.nodes.some(node => node.label === label);
  }

  follows(type: string): boolean {
    return this.edges.some(edge => edge.type === type);
  }

  variableOf(label: string): string | null {
    return this.nodes.find(node => node.label === label)?.variable ?? null;
  }

  text(returns: string): string {
    return `${this.matches(this.conditions)}${this.optional} ${returns}`;
  }

  /**
   * Counts what the plan leaves out only because it has no date. Null if the plan limits no date, or dates of several nodes or edges at
   * once.
   */
  undated(): UndatedCount | null {
    const [first] = this.dated;
    if (!first || this.dated.some(({ date }) => date.variable !== first.date.variable)) return null;
    const { variable, owner, ownerName, property } = first.date;
    const others = this.conditions.filter(condition => !this.dated.some(dated => dated.condition === condition));
    const limits = this.dated.filter(({ as }) => as === 'limit').map(({ condition }) => condition);
    // A comparison with a date that is missing is null, and so is one with a text in the date's place.
    const isUndated = limits.length > 0 ? `(${limits.join(' AND ')}) IS NULL` : `${variable}.${quoteName(property)} IS NULL`;
    const cypher = `${this.matches([...others, isUndated])} RETURN count(DISTINCT ${variable}) AS n`;
    return { cypher, owner, ownerName, property };
  }

  private matches(conditions: string[]): string {
    const patterns = this.patterns.length > 0 ? this.patterns : [`(t:${quoteName(this.target)})`];
    // Each pattern has its own MATCH, because two paths of one question may use the same edge.
    const matches = patterns.map(pattern => `MATCH ${pattern}`).join(' ');
    return conditions.length > 0 ? `${matches} WHERE ${conditions.join(' AND ')}` : matches;
  }
}

/** Writes a name for Cypher: bare if it is a plain word, else between backticks. */
export function quoteName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !reservedWords.has(name.toUpperCase()) ? name : `\`${name.replaceAll('`', '``')}\``;
}

const reservedWords = new Set(
  'ALL AND AS ASC ASCENDING BY CASE CONTAINS COUNT CREATE DELETE DESC DESCENDING DETACH DISTINCT ELSE END ENDS EXISTS FALSE IN IS LIMIT MATCH MERGE NOT NULL ON OPTIONAL OR ORDER REMOVE RETURN SET SKIP STARTS THEN TRUE UNION UNIQUE UNWIND WHEN WHERE WITH XOR'.split(
    ' ',
  ),
);
