import { type Hop } from './rank-paths.js';

interface WrittenNode {
  variable: string;
  label: string;
}

/** Builds a Cypher text from parts. Every value becomes a parameter and every name is quoted. */
export class CypherWriter {
  readonly parameters: Record<string, unknown> = {};
  readonly nodes: WrittenNode[] = [];
  readonly edges: { variable: string; type: string }[] = [];
  private readonly patterns: string[] = [];
  private readonly conditions: string[] = [];

  constructor(readonly target: string) {
    this.nodes.push({ variable: 't', label: target });
  }

  /** Adds a path from the target and returns the variable of its far end. */
  addPath(hops: Hop[]): string {
    let pattern = `(t:${quoteName(this.target)})`;
    let end = 't';
    for (const hop of hops) {
      const edge = `r${this.edges.length + 1}`;
      end = `n${this.nodes.length}`;
      this.edges.push({ variable: edge, type: hop.type });
      this.nodes.push({ variable: end, label: hop.to });
      const bracket = `[${edge}:${quoteName(hop.type)}]`;
      pattern += `${hop.direction === 'out' ? `-${bracket}->` : `<-${bracket}-`}(${end}:${quoteName(hop.to)})`;
    }
    this.patterns.push(pattern);
    return end;
  }

  parameter(value: unknown): string {
    const name = `p${Object.keys(this.parameters).length + 1}`;
    this.parameters[name] = value;
    return `$${name}`;
  }

  where(condition: string): void {
    this.conditions.push(condition);
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
    const patterns = this.patterns.length > 0 ? this.patterns : [`(t:${quoteName(this.target)})`];
    // Each pattern has its own MATCH, because two paths of one question may use the same edge.
    const matches = patterns.map(pattern => `MATCH ${pattern}`).join(' ');
    const conditions = this.conditions.length > 0 ? ` WHERE ${this.conditions.join(' AND ')}` : '';
    return `${matches}${conditions} RETURN ${returns}`;
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
