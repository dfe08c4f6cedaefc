import { Pace } from '../../common/turns/pace.js';
import { propertiesRead, type PropertiesRead } from '../../cypher/plan/properties-read.js';
import { NotInSqlError } from '../../cypher/semantics/not-in-sql.error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type RetrievalAnswer, type ExecutorReason } from '../protocol.js';
import { GraphChangingError, GraphExceedsMemoryError } from '../retrieval.errors.js';
import { assembleAnswer } from './assemble-answer.js';
import { type Choice, chooseExecutor } from './choose-executor.js';
import { type CypherRequest } from './cypher-request.js';
import { executeInMemory } from './execute-in-memory.js';
import { executeInSql } from './execute-in-sql.js';
import { GraphInMemory, type LoadedElements } from './graph-in-memory.js';
import { type LoadedGraph, type LoadedGraphs } from './loaded-graphs.js';
import { emptyGraph, type PreparedCypher, preparing } from '../../cypher/prepare-cypher.js';
import { type GraphReader, type RetrievalDatabase, VersionMovedError, type VersionReader } from './retrieval-database.js';
import { mayAnswerBefore, withLoaded } from './with-loaded.js';

/** Used only in tests: the executor that must run the query. Execution fails if this executor cannot run the query. */
export type ForcedExecutor = Choice['executor'];

export async function runCypher(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  request: CypherRequest & { graphId: number },
  signal: AbortSignal,
  forced?: ForcedExecutor,
): Promise<RetrievalAnswer> {
  // A text that cannot be parsed is refused before it takes a connection.
  const prepare = preparing(request.text, request.parameters);
  const { graphId, timeoutMs } = request;
  const known = graphs.find(graphId);
  // `leastVersion` is the version that the API has just read for this query, so the loaded version is the newest one.
  if (known && known.version === database.leastVersion) {
    const answer = await answerFromKnown(database, graphs, known, prepare(known.schema), request, signal, forced);
    if (answer) return answer;
  }
  const first = await database.readGraph(graphId, timeoutMs, signal, async reader => {
    const graph = await graphs.get(reader);
    const prepared = prepare(graph.schema);
    const hasElements = (held: LoadedGraph) => graphs.hasElements(held, propertiesRead(prepare(held.schema).query));
    const isLoaded = graphs.hasTopology(graph) || mayAnswerBefore(graphs, graph, request, hasElements);
    const begun = await answerWithoutLoading(reader, graph, prepared, request, signal, isLoaded, forced);
    // `value_decides` means that an SQL statement has failed. Its transaction cannot read further, so memory does not answer here.
    if ('answer' in begun || forced === 'sql' || begun.reason === 'value_decides') return begun;
    const present = graphs.elementsNow(graph, begun.read);
    if (!present) return begun;
    return { answer: await answerInMemory(reader, graph, await present, prepared, request, begun.reason, signal) };
  });
  if ('answer' in first) {
    if (first.answer.plan.reason === 'graph_not_loaded') loadForLater(graphs, graphId, prepare);
    return first.answer;
  }
  if (forced === 'sql') throw new NotInSqlError(first.reason);
  const needed = {
    now: (graph: LoadedGraph) => graphs.elementsNow(graph, propertiesRead(prepare(graph.schema).query)),
    load: (graph: LoadedGraph) => graphs.elementsOf(graph, propertiesRead(prepare(graph.schema).query)),
  };
  try {
    return await withLoaded(database, graphs, request, signal, needed, (reader, graph, loaded) =>
      answerInMemory(reader, graph, loaded, prepare(graph.schema), request, first.reason, signal),
    );
  } catch (error) {
    const why = whyNotInMemory(error);
    if (why === null || first.reason === 'only_in_memory' || first.reason === 'value_decides') throw error;
    const answer = await database.readGraph(graphId, timeoutMs, signal, async reader => {
      const graph = await graphs.get(reader);
      return answerBeyondMemory(reader, graph, prepare(graph.schema), request, why, signal);
    });
    if (answer === null) throw error;
    return answer;
  }
}

type NotInMemory = 'graph_exceeds_memory' | 'graph_changing';

function whyNotInMemory(error: unknown): NotInMemory | null {
  if (error instanceof GraphExceedsMemoryError) return 'graph_exceeds_memory';
  return error instanceof GraphChangingError ? 'graph_changing' : null;
}

const sqlInstead: Readonly<Record<NotInMemory, Bilingual>> = {
  graph_exceeds_memory: {
    zh: '图超出检索进程的内存上限，由 SQL 作答，可能较慢；管理员可调高 RETRIEVAL_MEMORY_MB',
    en: 'The graph is larger than the memory of the retrieval process, so SQL has answered, which may be slower; an administrator can raise RETRIEVAL_MEMORY_MB',
  },
  graph_changing: {
    zh: '图在载入内存期间一再更新，由 SQL 作答，可能较慢',
    en: 'The graph had a new version each time that it was loaded into memory, so SQL has answered, which may be slower',
  },
};

/**
 * Loads the parts that this query needs, so that a later query of the same kind finds them in memory. A failure is ignored: a query that
 * cannot do without the parts loads them itself, or is refused.
 */
function loadForLater(graphs: LoadedGraphs, graphId: number, prepare: ReturnType<typeof preparing>): void {
  const graph = graphs.find(graphId);
  if (graph) graphs.elementsOf(graph, propertiesRead(prepare(graph.schema).query)).catch(() => undefined);
}

/** Why a query needs the graph in memory, and which properties it reads. */
export interface NeedsGraph {
  reason: ExecutorReason;
  read: PropertiesRead;
}

/**
 * The answer from a version whose parts are all in memory; only the evidence comes from the database. Null if the query needs further
 * parts, or if the graph has another version by now.
 */
async function answerFromKnown(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  graph: LoadedGraph,
  prepared: PreparedCypher,
  request: CypherRequest,
  signal: AbortSignal,
  forced?: ForcedExecutor,
): Promise<RetrievalAnswer | null> {
  const { executor, reason } = choose(prepared, graph, graphs.hasTopology(graph), forced);
  if (executor === 'sql') return null;
  const loaded = reason === 'no_graph' ? null : await graphs.elementsNow(graph, propertiesRead(prepared.query));
  if (reason !== 'no_graph' && !loaded) return null;
  try {
    return await database.readVersion(graph, request.timeoutMs, signal, reader =>
      answerInMemory(reader, graph, loaded, prepared, request, reason, signal, new HoldingPace(reader, signal)),
    );
  } catch (error) {
    if (error instanceof VersionMovedError) return null;
    throw error;
  }
}

/**
 * Turns of the event loop after which the reader holds a snapshot: some 50 ms of work. Shorter work is quickly repeated on a new version.
 */
const turnsToHold = 10;

/**
 * A pace that takes a snapshot of the reader's version once the work takes long. Then a run that makes a new version does not force the
 * work to begin again.
 */
class HoldingPace extends Pace {
  private turns = 0;

  constructor(
    private readonly reader: VersionReader,
    signal: AbortSignal,
  ) {
    super(signal);
  }

  override async turn(): Promise<void> {
    if (++this.turns === turnsToHold) await this.reader.hold();
    await super.turn();
  }
}

function choose(prepared: PreparedCypher, graph: LoadedGraph, isLoaded: boolean, forced?: ForcedExecutor): Choice {
  const choice = chooseExecutor(prepared, graph, isLoaded);
  return forced === undefined || forced === choice.executor ? choice : { executor: forced, reason: 'forced' };
}

/** Answers a query that needs only the graph's schema in memory. For any other query it returns why and which parts the query needs. */
export async function answerWithoutLoading(
  reader: GraphReader,
  graph: LoadedGraph,
  prepared: PreparedCypher,
  request: CypherRequest,
  signal: AbortSignal,
  isLoaded: boolean,
  forced?: ForcedExecutor,
): Promise<{ answer: RetrievalAnswer } | NeedsGraph> {
  const started = performance.now();
  const { executor, reason } = choose(prepared, graph, isLoaded, forced);
  if (reason === 'no_graph') return { answer: await answerInMemory(reader, graph, null, prepared, request, reason, signal) };
  const read = propertiesRead(prepared.query);
  if (executor === 'memory' || prepared.plan === null) return { reason, read };
  const executed = await executeInSql(reader, graph.schema, prepared.plan, request, new Pace(signal));
  if (typeof executed === 'string') return { reason: executed, read };
  const { warnings } = prepared;
  return { answer: await assembleAnswer(reader, graph.schema, executed, request, { reason, warnings, started, signal }) };
}

/** @param loaded null only for a query that matches nothing in the graph */
export async function answerInMemory(
  reader: GraphReader,
  { schema }: LoadedGraph,
  loaded: LoadedElements | null,
  prepared: PreparedCypher,
  request: CypherRequest,
  reason: ExecutorReason,
  signal: AbortSignal,
  pace = new Pace(signal),
): Promise<RetrievalAnswer> {
  const started = performance.now();
  if (!loaded && reason !== 'no_graph') throw new Error(`Graph ${reader.graphId} is not in memory`);
  const inMemory = loaded ? new GraphInMemory(loaded.topology, loaded, schema) : emptyGraph;
  const executed = await executeInMemory(inMemory, prepared, request, reader.answerMaxBytes, pace);
  return assembleAnswer(reader, schema, executed, request, { reason, warnings: prepared.warnings, started, signal });
}

/**
 * Answers with SQL a query that would have run in memory, when the graph does not fit or keeps changing. Null if SQL cannot run the query.
 */
async function answerBeyondMemory(
  reader: GraphReader,
  { schema }: LoadedGraph,
  { plan, warnings }: PreparedCypher,
  request: CypherRequest,
  reason: NotInMemory,
  signal: AbortSignal,
): Promise<RetrievalAnswer | null> {
  const started = performance.now();
  const executed = plan && (await executeInSql(reader, schema, plan, request, new Pace(signal)));
  if (!executed || typeof executed === 'string') return null;
  executed.warnings.push(sqlInstead[reason]);
  return assembleAnswer(reader, schema, executed, request, { reason, warnings, started, signal });
}
