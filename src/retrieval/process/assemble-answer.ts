import { type Bilingual } from '../../text/bilingual.js';
import { inTurns, Pace } from '../../common/turns/pace.js';
import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { type QueryWarning } from '../../cypher/semantics/typed-tree.js';
import { parseExactJson } from '../../common/json/parse-exact-json.js';
import { type AnswerColumn, type Citation, type QueryPlan, type RetrievalAnswer, type ExecutorReason } from '../protocol.js';
import { AnswerElements } from './answer-elements.js';
import { columnTypeOf, type ShownElements, toAnswerValues } from './answer-values.js';
import { type GraphElements } from './graph-elements.js';
import { readElements, readEvidence, toAnswerEdge, toAnswerNode } from './read-evidence.js';
import { type GraphReader } from './retrieval-database.js';
import { type CypherRequest } from './cypher-request.js';

/** The result of an executor. */
export interface Executed {
  columns: string[];
  /** The rows. Each row has the matches that it rests on, if the executor knows them. */
  rows: AnswerRow[];
  /** Whether there are more rows than the caller asked for. */
  isTruncated: boolean;
  /** Elements, besides those of the rows' matches, that the rows rest on. */
  examples: AnswerElements;
  /** Whether the rows rest on more elements than this result lists. */
  isCut: boolean;
  /** Citations of whole tables that the rows rest on. */
  tables: Citation[];
  warnings: Bilingual[];
  plan: Pick<QueryPlan, 'executor' | 'sql' | 'profile'>;
  /** Whether the same query may have another answer a moment later, because it asks for the time or for a random value. */
  isOfItsMoment: boolean;
}

/**
 * Makes the answer from an executor's result: reads the elements that the rows show, and cites the rows of the warehouse from which the
 * elements come.
 */
export async function assembleAnswer(
  reader: GraphReader,
  schema: GraphElements,
  executed: Executed,
  request: CypherRequest,
  { reason, warnings: found, started, signal }: { reason: ExecutorReason; warnings: QueryWarning[]; started: number; signal: AbortSignal },
): Promise<RetrievalAnswer> {
  const { rows, columns } = executed;
  const ready = performance.now();
  const warnings = [...found.map(({ text }) => text), ...executed.warnings].map(text => text[request.language]);
  const say = (zh: string, en: string) => warnings.push(request.language === 'zh' ? zh : en);
  if (executed.isTruncated)
    say(`只返回前 ${request.limit} 行，还有更多`, `Only the first ${request.limit} rows are returned; there are more`);
  const shown = new AnswerElements();
  const pace = new Pace(signal);
  for (const { values } of rows) {
    if (pace.isOverdue) await pace.turn();
    for (const value of values) shown.addValue(value);
  }
  // Shown elements come first, because only the first 500 nodes and 1,000 edges are cited.
  const elements = new AnswerElements();
  for (const own of [shown, executed.examples]) elements.addAll(own);
  for (const { behind } of rows) if (behind) elements.addBehind(behind);
  const { graph, citations, more, isGraphCut } = await readEvidence(reader, schema, elements);
  if (more || executed.isCut) say('引用未全部列出', 'Not all citations are listed');
  if (isGraphCut)
    say(
      'graph 中未列出全部节点和关系：它们的属性过大',
      'The graph of the answer does not list all nodes and edges: their properties are too large',
    );
  const whole = await readShown(reader, shown, graph);
  return {
    graph_version: reader.version,
    language: request.language,
    text: null,
    columns: await columnsOf(columns, rows, pace),
    rows: await shownRows(rows, whole, pace),
    graph,
    citations: [...citations, ...executed.tables],
    plan: {
      kind: 'cypher',
      cypher: request.text,
      parameters: parseExactJson(request.parameters) as Record<string, unknown>,
      ...executed.plan,
      reason,
      ...(found.length > 0 && { unknown_names: found.map(({ context }) => String(context.name)) }),
    },
    metric_call: null,
    next_offset: null,
    warnings,
    timing_ms: { execute: ready - started, cite: performance.now() - ready },
    ...((executed.isOfItsMoment || request.profile) && { is_of_its_moment: true as const }),
  };
}

/**
 * Reads the nodes and edges in the rows in the form in which answers show them, except those already in `graph`.
 * @throws AnswerTooLargeError
 */
async function readShown(reader: GraphReader, { nodeIds, edges }: AnswerElements, graph: RetrievalAnswer['graph']): Promise<ShownElements> {
  const nodesById = new Map(graph.nodes.map(node => [node.id, node]));
  const edgesById = new Map(graph.edges.map(edge => [edge.id, edge]));
  const missing = await readElements(
    reader,
    [...nodeIds].filter(id => !nodesById.has(id)),
    [...edges.values()].filter(({ id }) => !edgesById.has(id)),
    Number.MAX_SAFE_INTEGER,
  );
  for (const node of missing.nodes) nodesById.set(node.id, toAnswerNode(node));
  for (const edge of missing.edges) edgesById.set(edge.id, toAnswerEdge(edge));
  return { nodes: nodesById, edges: edgesById };
}

async function columnsOf(names: readonly string[], rows: readonly AnswerRow[], pace: Pace): Promise<AnswerColumn[]> {
  const columns: AnswerColumn[] = [];
  for (const [i, name] of names.entries()) {
    if (pace.isOverdue) await pace.turn();
    columns.push({ name, type: columnTypeOf(rows.map(({ values }) => values[i] ?? null)) });
  }
  return columns;
}

async function shownRows(rows: readonly AnswerRow[], shown: ShownElements, pace: Pace): Promise<unknown[][]> {
  const answers: unknown[][] = [];
  for (const { values } of rows) {
    if (pace.isOverdue) await pace.turn();
    answers.push(await inTurns(toAnswerValues(values, shown), pace));
  }
  return answers;
}
