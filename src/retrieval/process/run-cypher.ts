import { Pace } from '../../common/turns/pace.js';
import { propertiesRead, type PropertiesRead } from '../../cypher/plan/properties-read.js';
import { NotInSqlError } from '../../cypher/semantics/not-in-sql.error.js';
import { parseCypher } from '../../cypher/syntax/parse-cypher.js';
import { type RetrievalAnswer, type ExecutorReason } from '../protocol.js';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { assembleAnswer, type Executed } from './assemble-answer.js';
import { type Choice, chooseExecutor } from './choose-executor.js';
import { type CypherRequest } from './cypher-request.js';
import { executeInMemory } from './execute-in-memory.js';
import { executeInSql } from './execute-in-sql.js';
import { GraphInMemory, type LoadedElements } from './graph-in-memory.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { emptyGraph, type PreparedCypher, prepareCypher } from '../../cypher/prepare-cypher.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';
import { mayAnswerBefore, withLoaded } from './with-loaded.js';

/** Only in tests: the executor that must run the query. It fails where it cannot. */
export type ForcedExecutor = Choice['executor'];

export async function runCypher(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  request: CypherRequest & { graphId: number },
  signal: AbortSignal,
  forced?: ForcedExecutor,
): Promise<RetrievalAnswer> {
  // A text that cannot be parsed is refused before it takes a connection.
  const parsed = parseCypher(request.text);
  const { graphId, timeoutMs } = request;
  const first = await database.readGraph(graphId, timeoutMs, signal, async reader => {
    const graph = await graphs.get(reader);
    const isLoaded =
      graphs.hasTopology(graph) || mayAnswerBefore(graphs, graph, request, held => graphs.hasElements(held, propertiesRead(parsed)));
    const begun = await answerWithoutLoading(reader, graph, request, signal, isLoaded, forced);
    // A statement that has failed leaves its transaction of no use.
    if ('answer' in begun || forced === 'sql' || begun.reason === 'value_decides') return begun;
    const present = graphs.elementsNow(graph, begun.read);
    if (!present) return begun;
    return { answer: await answerInMemory(reader, graph, await present, request, begun.reason, signal) };
  });
  if ('answer' in first) return first.answer;
  if (forced === 'sql') throw new NotInSqlError(first.reason);
  const needed = {
    now: (graph: LoadedGraph) => graphs.elementsNow(graph, first.read),
    load: (graph: LoadedGraph) => graphs.elementsOf(graph, first.read),
  };
  try {
    return await withLoaded(database, graphs, request, signal, needed, (reader, graph, loaded) =>
      answerInMemory(reader, graph, loaded, request, first.reason, signal),
    );
  } catch (error) {
    if (!(error instanceof GraphExceedsMemoryError) || first.reason === 'only_in_memory' || first.reason === 'value_decides') throw error;
    const answer = await database.readGraph(graphId, timeoutMs, signal, async reader =>
      answerBeyondMemory(reader, await graphs.get(reader), request, signal),
    );
    if (answer === null) throw error;
    return answer;
  }
}

/** Why a query needs the graph in memory, and what of it. */
export interface NeedsGraph {
  reason: ExecutorReason;
  read: PropertiesRead;
}

/** An answer that needs no more of the graph than its schema in memory, or what it needs. */
export async function answerWithoutLoading(
  reader: GraphReader,
  graph: LoadedGraph,
  request: CypherRequest,
  signal: AbortSignal,
  isLoaded: boolean,
  forced?: ForcedExecutor,
): Promise<{ answer: RetrievalAnswer } | NeedsGraph> {
  const started = performance.now();
  const prepared = prepareCypher(request.text, graph.schema, request.parameters);
  const choice = chooseExecutor(prepared, graph, isLoaded);
  const read = propertiesRead(prepared.query);
  const executor = forced ?? choice.executor;
  const reason = executor === choice.executor ? choice.reason : 'forced';
  const assembled = async (executed: Executed) => ({
    answer: await assembleAnswer(reader, graph.schema, executed, request, { reason, warnings: prepared.warnings, started, signal }),
  });
  if (reason === 'no_graph') return assembled(await executeInMemory(emptyGraph, prepared, request, reader.answerMaxBytes, signal));
  if (executor === 'memory' || prepared.plan === null) return { reason, read };
  const executed = await executeInSql(reader, graph.schema, prepared.plan, request, new Pace(signal));
  return typeof executed === 'string' ? { reason: executed, read } : assembled(executed);
}

export async function answerInMemory(
  reader: GraphReader,
  { schema }: LoadedGraph,
  loaded: LoadedElements,
  request: CypherRequest,
  reason: ExecutorReason,
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  const prepared: PreparedCypher = prepareCypher(request.text, schema, request.parameters);
  const inMemory = new GraphInMemory(loaded.topology, loaded, schema);
  const executed = await executeInMemory(inMemory, prepared, request, reader.answerMaxBytes, signal);
  return assembleAnswer(reader, schema, executed, request, { reason, warnings: prepared.warnings, started, signal });
}

/** An answer from SQL for a graph that memory would answer, if it fitted. Null if SQL cannot. */
async function answerBeyondMemory(
  reader: GraphReader,
  { schema }: LoadedGraph,
  request: CypherRequest,
  signal: AbortSignal,
): Promise<RetrievalAnswer | null> {
  const started = performance.now();
  const { plan, warnings } = prepareCypher(request.text, schema, request.parameters);
  const executed = plan && (await executeInSql(reader, schema, plan, request, new Pace(signal)));
  if (!executed || typeof executed === 'string') return null;
  executed.warnings.push({
    zh: '图超出检索进程的内存上限，由 SQL 作答，可能较慢；管理员可调高 RETRIEVAL_MEMORY_MB',
    en: 'The graph is larger than the memory of the retrieval process, so SQL has answered, which may be slower; an administrator can raise RETRIEVAL_MEMORY_MB',
  });
  return assembleAnswer(reader, schema, executed, request, { reason: 'graph_exceeds_memory', warnings, started, signal });
}
