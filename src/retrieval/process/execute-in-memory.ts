import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { Pace } from '../../common/turns/pace.js';
import { type AnswerRow, prepareInMemory } from '../../cypher/executors/memory/run-in-memory.js';
import { QueryContext } from '../../cypher/semantics/query-context.js';
import { resolveNames } from '../../cypher/semantics/resolve-names.js';
import { type CypherQuery } from '../../cypher/syntax/cypher-ast.js';
import { type Constant, ExactNumber } from '../../cypher/values/constant.js';
import { type CypherValue } from '../../cypher/values/cypher-value.js';
import { sizeOf } from '../../cypher/values/value-size.js';
import { type AnswerNode } from '../../cypher/values/graph-values.js';
import { type Language } from '../../text/language.js';
import { type RetrievalAnswer } from '../protocol.js';
import { QueryTimeoutError } from '../retrieval.errors.js';
import { AnswerElements } from './answer-elements.js';
import { columnTypeOf, type ShownElements, toAnswerValue } from './answer-values.js';
import { GraphInMemory, type LoadedElements } from './graph-in-memory.js';
import { type GraphElements } from './graph-elements.js';
import { readElements, readEvidence, toAnswerEdge, toAnswerNode } from './read-evidence.js';
import { type GraphReader } from './retrieval-database.js';

/** Enough rows to fill the citations. */
const mostCited = 5_000;
/** Enough for some seconds; `timeout_ms` ends most queries before. */
const limits = { steps: 30_000_000, heldBytes: 67_108_864 };

export interface MemoryQuery {
  text: string;
  parameters: Record<string, unknown>;
  limit: number;
  language: Language;
  timeoutMs: number;
}

/** Runs a query on the nodes and edges that the process holds of this graph version, and cites the rows that its answer rests on. */
export async function executeInMemory(
  reader: GraphReader,
  schema: GraphElements,
  loaded: LoadedElements,
  parsed: CypherQuery,
  query: MemoryQuery,
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  const context = new QueryContext(query.text, schema, query.parameters);
  const named = resolveNames(parsed, context);
  const parameters = new Map([...named].map(([name, position]) => [name, toValue(context.parameters.read(name, position))]));
  const inMemory = new GraphInMemory(loaded.topology, loaded, schema);
  const now = { epochNanoseconds: BigInt(Date.now()) * 1_000_000n, timeZone: 'UTC' };
  const prepared = prepareInMemory(parsed, inMemory, { parameters, limits, now });
  const found = await takeRows(prepared.rows(), { ...query, mostBytes: reader.answerMaxBytes }, started, new Pace(signal));
  const executed = performance.now();
  const truncated = found.length > query.limit;
  const rows = truncated ? found.slice(0, query.limit) : found;
  const warnings = context.warnings().map(({ text }) => text[query.language]);
  const say = (zh: string, en: string) => warnings.push(query.language === 'zh' ? zh : en);
  if (truncated) say(`只返回前 ${query.limit} 行，还有更多`, `Only the first ${query.limit} rows are returned; there are more`);
  const shown = await readShown(reader, rows);
  const { graph: evidence, citations, more, isGraphCut } = await readEvidence(reader, schema, elementsBehind(rows));
  if (more || rows.some(({ behind }) => behind === null || behind.isCut)) say('引用未全部列出', 'Not all citations are listed');
  if (isGraphCut)
    say(
      'graph 中未列出全部节点和关系：它们的属性过大',
      'The graph of the answer does not list all nodes and edges: their properties are too large',
    );
  return {
    graph_version: reader.version,
    language: query.language,
    text: null,
    columns: prepared.columns.map((name, i) => ({ name, type: columnTypeOf(rows.map(({ values }) => values[i] ?? null)) })),
    rows: await shownRows(rows, shown, new Pace(signal)),
    graph: evidence,
    citations,
    plan: { kind: 'cypher', cypher: query.text, parameters: query.parameters, executor: 'memory' },
    metric_call: null,
    next_offset: null,
    warnings,
    timing_ms: { execute: executed - started, cite: performance.now() - executed },
  };
}

/** Takes one row more than asked for, which shows whether there are more. @throws AnswerTooLargeError before rows take more than an answer may */
async function takeRows(
  rows: Generator<AnswerRow | null>,
  { limit, timeoutMs, mostBytes }: { limit: number; timeoutMs: number; mostBytes: number },
  started: number,
  pace: Pace,
): Promise<AnswerRow[]> {
  const found: AnswerRow[] = [];
  let [bytes, cited] = [0, 0];
  for (const row of rows) {
    if (pace.isOverdue) {
      await pace.turn();
      if (performance.now() - started > timeoutMs) throw new QueryTimeoutError(timeoutMs);
    }
    if (row === null) continue;
    // Of further rows nothing would be cited.
    if (cited > mostCited) row.behind = null;
    cited += row.behind ? row.behind.nodes.size + row.behind.edges.size : 0;
    found.push(row);
    bytes += leastBytesOf(row.values);
    if (bytes > mostBytes) throw new AnswerTooLargeError('query', bytes, mostBytes);
    if (found.length > limit) break;
  }
  return found;
}

/** The least that values take in the answer: an item of a list has two characters there, and counts as eight bytes in memory. */
function leastBytesOf(values: readonly CypherValue[]): number {
  return values.reduce<number>((bytes, value) => bytes + sizeOf(value), 0) / 4;
}

function toValue(constant: Constant): CypherValue {
  if (constant instanceof ExactNumber) return constant.integer ? BigInt(constant.text) : Number(constant.text);
  if (Array.isArray(constant)) return constant.map(toValue);
  if (constant === null || typeof constant !== 'object') return constant;
  return new Map(Object.entries(constant).map(([name, value]) => [name, toValue(value)]));
}

function elementsBehind(rows: readonly AnswerRow[]): AnswerElements {
  const elements = new AnswerElements();
  for (const { behind } of rows) {
    if (!behind) continue;
    for (const id of behind.nodes.keys()) elements.nodeIds.add(id);
    for (const { id, source, target, type } of behind.edges.values())
      elements.edges.set(id, { id, sourceId: source, targetId: target, type });
  }
  return elements;
}

/** Reads the nodes and edges in the rows as answers show them. @throws AnswerTooLargeError */
async function readShown(reader: GraphReader, rows: readonly AnswerRow[]): Promise<ShownElements> {
  const elements = new AnswerElements();
  const add = (value: CypherValue): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) value.forEach(add);
    else if (value instanceof Map) for (const inner of value.values() as Iterable<CypherValue>) add(inner);
    else if ('kind' in value && value.kind === 'node') elements.nodeIds.add(value.id);
    else if ('kind' in value && value.kind === 'edge') {
      const { id, source, target, type } = value;
      elements.edges.set(id, { id, sourceId: source, targetId: target, type });
    } else if ('kind' in value && value.kind === 'path') [...value.nodes, ...value.edges].forEach(add);
  };
  for (const { values } of rows) values.forEach(add);
  const { nodes, edges } = await readElements(reader, [...elements.nodeIds], [...elements.edges.values()], Number.MAX_SAFE_INTEGER);
  return {
    nodes: new Map<number, AnswerNode>(nodes.map(node => [node.id, toAnswerNode(node)])),
    edges: new Map(edges.map(edge => [edge.id, toAnswerEdge(edge)])),
  };
}

async function shownRows(rows: readonly AnswerRow[], shown: ShownElements, pace: Pace): Promise<unknown[][]> {
  const answers: unknown[][] = [];
  for (const { values } of rows) {
    if (pace.isOverdue) await pace.turn();
    answers.push(values.map(value => toAnswerValue(value, shown)));
  }
  return answers;
}
