import { type CompiledQuery, compilePlan } from '../cypher/compile-plan.js';
import { type DecodedRows, decodeRows } from '../cypher/decode-rows.js';
import { type LogicalPlan } from '../cypher/logical-plan.js';
import { parseCypher } from '../cypher/parse-cypher.js';
import { planCypher } from '../cypher/plan-cypher.js';
import { type Language, type RetrievalAnswer } from '../protocol.js';
import { collectElements, withoutKinds } from './answer-elements.js';
import { type GraphElements } from './graph-schema.js';
import { type LoadedGraphs } from './loaded-graphs.js';
import { readEvidence } from './read-evidence.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

export interface CypherQuery {
  text: string;
  parameters: Record<string, unknown>;
  limit: number;
  language: Language;
}

/** Matches that stand for the many behind a row of an aggregate. */
const EXAMPLE_MATCHES = 50;

export async function runCypher(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: CypherQuery & { graphId: number; timeoutMs: number },
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  // A text that cannot be parsed is refused before it costs a connection.
  const parsed = parseCypher(query.text);
  return database.readGraph(query.graphId, query.timeoutMs, signal, async reader => {
    const { schema } = await graphs.get(reader);
    return executePlan(reader, schema, planCypher(parsed, schema), query);
  });
}

/** Runs a plan and gathers what its rows rest on. */
export async function executePlan(
  reader: GraphReader,
  schema: GraphElements,
  plan: LogicalPlan,
  query: CypherQuery,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  // One row more than asked for tells whether there are more.
  const compiled = compilePlan(plan, { graphId: reader.graphId, parameters: query.parameters, limit: query.limit + 1 });
  const decoded = await fetchRows(reader, compiled);
  const executed = performance.now();
  const truncated = decoded.rows.length > query.limit;
  const rows = truncated ? decoded.rows.slice(0, query.limit) : decoded.rows;
  const elements = collectElements(rows, decoded.evidence.slice(0, rows.length));
  const warnings = compiled.warnings.map(({ text }) => text[query.language]);
  if (truncated)
    warnings.push(say(query, `只返回前 ${query.limit} 行，还有更多`, `Only the first ${query.limit} rows are returned; there are more`));
  if (elements.isEmpty && rows.length > 0 && compiled.evidence === 'none') {
    const examples = await fetchRows(
      reader,
      compilePlan(matchesOf(plan), { graphId: reader.graphId, parameters: query.parameters, limit: EXAMPLE_MATCHES }),
    );
    elements.addEvidence(examples.evidence);
    if (examples.rows.length === EXAMPLE_MATCHES) {
      warnings.push(say(query, `引用只列出前 ${EXAMPLE_MATCHES} 个匹配`, `Citations list the first ${EXAMPLE_MATCHES} matches only`));
    }
  }
  const { graph, citations, more } = await readEvidence(reader, schema, elements);
  if (more) warnings.push(say(query, '引用未全部列出', 'Not all citations are listed'));
  return {
    graph_version: reader.version,
    language: query.language,
    text: null,
    columns: compiled.columns,
    rows: rows.map(row => row.map(withoutKinds)),
    graph,
    citations,
    plan: { kind: 'cypher', cypher: query.text, parameters: query.parameters, sql: compiled.sql },
    metric_call: null,
    next_offset: null,
    warnings,
    timing_ms: { execute: executed - started, cite: performance.now() - executed },
  };
}

async function fetchRows(reader: GraphReader, compiled: CompiledQuery): Promise<DecodedRows> {
  return decodeRows(compiled, (await reader.rows(compiled.sql, compiled.parameters)) as (string | null)[][]);
}

/** The plan without its RETURN: the matches themselves, in no order. */
function matchesOf(plan: LogicalPlan): LogicalPlan {
  const variable = plan.nodes[0]?.variable ?? '';
  const items = [
    {
      name: 'match',
      expression: {
        kind: 'call' as const,
        name: 'id',
        distinct: false,
        args: [{ kind: 'variable' as const, name: variable, position: 0 }],
        position: 0,
      },
    },
  ];
  return { ...plan, distinct: false, aggregated: false, items, orderBy: [], skip: null, limit: null };
}

function say(query: CypherQuery, zh: string, en: string): string {
  return query.language === 'zh' ? zh : en;
}
