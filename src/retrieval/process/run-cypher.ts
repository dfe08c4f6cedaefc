import { type CompiledQuery, compilePlan } from '../../cypher/executors/sql/compile-plan.js';
import { type DecodedRows, decodeRows } from '../../cypher/executors/sql/decode-rows.js';
import { findMatchesBehind } from '../../cypher/plan/find-matches-behind.js';
import { findOperator, operatorsOf, type QueryPlan } from '../../cypher/plan/operators.js';
import { type SimpleQuery, toSimpleQuery } from '../../cypher/plan/simple-query.js';
import { CypherNotSupportedError } from '../../cypher/syntax/cypher.errors.js';
import { parseCypher } from '../../cypher/syntax/parse-cypher.js';
import { type Pattern } from '../../cypher/semantics/pattern.js';
import { planCypher } from '../../cypher/plan/plan-cypher.js';
import { Pace } from '../../common/turns/pace.js';
import { type Citation, type RetrievalAnswer } from '../protocol.js';
import { type Language } from '../../text/language.js';
import { type AnswerElements, collectElements, withoutKinds } from './answer-elements.js';
import { executeInMemory } from './execute-in-memory.js';
import { explainFailure } from './explain-failure.js';
import { type GraphElements } from './graph-elements.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { withLoaded } from './with-loaded.js';
import { readEvidence } from './read-evidence.js';
import { citeSources } from './to-citations.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

export interface CypherQuery {
  text: string;
  parameters: Record<string, unknown>;
  limit: number;
  language: Language;
}

/** The number of matches cited for the many behind a row of an aggregate. */
const exampleMatches = 50;

export async function runCypher(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: CypherQuery & { graphId: number; timeoutMs: number },
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  // A text that cannot be parsed is refused before it takes a connection.
  const parsed = parseCypher(query.text);
  const simple = toSimpleQuery(parsed);
  const answered = simple && (await runAsSql(database, graphs, simple, query, signal));
  if (answered) return answered;
  const load = (graph: LoadedGraph) => graphs.topologyOf(graph);
  return withLoaded(database, graphs, query, signal, load, (reader, { schema }, loaded) =>
    executeInMemory(reader, schema, loaded, parseCypher(query.text), query, signal),
  );
}

/** Null if SQL cannot run the query with its full meaning. */
async function runAsSql(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  simple: SimpleQuery,
  query: CypherQuery & { graphId: number; timeoutMs: number },
  signal: AbortSignal,
): Promise<RetrievalAnswer | null> {
  try {
    return await database.readGraph(query.graphId, query.timeoutMs, signal, async reader => {
      const { schema } = await graphs.get(reader);
      return executePlan(reader, schema, planCypher(simple, schema, query.parameters), query, new Pace(signal));
    });
  } catch (error) {
    if (error instanceof CypherNotSupportedError) return null;
    throw error;
  }
}

/** Runs a plan and collects the evidence for its rows. */
export async function executePlan(
  reader: GraphReader,
  schema: GraphElements,
  plan: QueryPlan,
  query: CypherQuery,
  pace: Pace,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  // One row more than asked for shows whether there are more.
  const compiled = compilePlan(plan, { graphId: reader.graphId, limit: query.limit + 1 });
  const decoded = await fetchRows(reader, compiled, plan, pace);
  const executed = performance.now();
  const truncated = decoded.rows.length > query.limit;
  const rows = truncated ? decoded.rows.slice(0, query.limit) : decoded.rows;
  const elements = await collectElements(rows, decoded.evidence, pace);
  const warnings = plan.warnings.map(({ text }) => text[query.language]);
  if (truncated)
    warnings.push(say(query, `只返回前 ${query.limit} 行，还有更多`, `Only the first ${query.limit} rows are returned; there are more`));
  const cited = restsOnMatches(plan, elements) && rows.length > 0 ? await citeMatches(reader, plan, rows, query, elements, pace) : null;
  if (cited) warnings.push(...cited.warnings);
  const { graph, citations, more, isGraphCut } = await readEvidence(reader, schema, elements);
  if (more) warnings.push(say(query, '引用未全部列出', 'Not all citations are listed'));
  if (isGraphCut)
    warnings.push(
      say(
        query,
        'graph 中未列出全部节点和关系：它们的属性过大',
        'The graph of the answer does not list all nodes and edges: their properties are too large',
      ),
    );
  if (cited?.isWhole) citations.push(...citeTables(schema, plan));
  return {
    graph_version: reader.version,
    language: query.language,
    text: null,
    columns: compiled.columns,
    rows: await showRows(rows, pace),
    graph,
    citations,
    plan: { kind: 'cypher', cypher: query.text, parameters: query.parameters, executor: 'sql', sql: compiled.sql },
    metric_call: null,
    next_offset: null,
    warnings,
    timing_ms: { execute: executed - started, cite: performance.now() - executed },
  };
}

/** Tells whether rows rest on matches that they do not show, because their values are computed over many of them. */
function restsOnMatches(plan: QueryPlan, elements: AnswerElements): boolean {
  const aggregation = findOperator(plan.root, 'aggregate');
  const isMatched = patternsOf(plan).some(({ nodes }) => nodes.length > 0);
  return aggregation !== null && isMatched && (elements.isEmpty || aggregation.aggregates.length > 0);
}

/** Prepares rows to be sent. */
async function showRows(rows: unknown[][], pace: Pace): Promise<unknown[][]> {
  const shown: unknown[][] = [];
  for (const row of rows) {
    if (pace.isOverdue) await pace.turn();
    shown.push(row.map(withoutKinds));
  }
  return shown;
}

async function fetchRows(reader: GraphReader, compiled: CompiledQuery, plan: QueryPlan, pace: Pace): Promise<DecodedRows> {
  const cells = await reader.rows(compiled.sql, compiled.parameters).catch((failure: unknown) => {
    throw explainFailure(failure, plan.text);
  });
  return decodeRows(compiled, cells as (string | null)[][], pace);
}

/** Adds the first of the matches behind the rows of an aggregate. `isWhole` is set when single matches cannot be told apart. */
async function citeMatches(
  reader: GraphReader,
  plan: QueryPlan,
  rows: unknown[][],
  query: CypherQuery,
  elements: AnswerElements,
  pace: Pace,
): Promise<{ isWhole: boolean; warnings: string[] }> {
  const behind = findMatchesBehind(plan, rows.slice(0, exampleMatches));
  const options = { graphId: reader.graphId, limit: exampleMatches };
  const examples = behind ? await fetchRows(reader, compilePlan(behind.plan, options), plan, pace) : null;
  elements.addEvidence(examples?.evidence ?? []);
  // A count of 0 rests on no match.
  if (behind && behind.values.length === 0 && elements.isEmpty) return { isWhole: false, warnings: [] };
  if (examples === null || elements.isEmpty) {
    return {
      isWhole: true,
      warnings: [
        say(
          query,
          '无法列出结果所依据的各行，只引用其所在的表',
          'The single rows behind the result cannot be told; their tables are cited',
        ),
      ],
    };
  }
  const capped = examples.rows.length === exampleMatches || rows.length > exampleMatches;
  const text = say(query, `引用只列出前 ${exampleMatches} 个匹配`, `Citations list the first ${exampleMatches} matches only`);
  return { isWhole: false, warnings: capped ? [text] : [] };
}

/** Cites each table of the plan's labels and types once, or all tables if the plan names none. */
function citeTables(schema: GraphElements, plan: QueryPlan): Citation[] {
  const patterns = patternsOf(plan);
  const named = patterns.flatMap(({ nodes }) => nodes.flatMap(node => node.labels.flat()));
  const labels = new Set(named.flatMap(label => [label, ...(plan.carriers.get(label) ?? [])]));
  const types = new Set(patterns.flatMap(({ edges }) => edges.flatMap(edge => edge.types)));
  const sources = schema.sources.filter(({ kind, name }) =>
    labels.size + types.size === 0 ? true : (kind === 'node' ? labels : types).has(name),
  );
  return citeSources(sources);
}

function patternsOf({ root }: QueryPlan): Pattern[] {
  return [...operatorsOf(root)].flatMap(operator => (operator.kind === 'match' ? [operator.pattern] : []));
}

function say(query: CypherQuery, zh: string, en: string): string {
  return query.language === 'zh' ? zh : en;
}
