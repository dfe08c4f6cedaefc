import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { type Pace } from '../../common/turns/pace.js';
import { type MemoryGraph } from '../../cypher/executors/memory/memory-graph.js';
import { type AnswerRow, prepareInMemory, type PreparedQuery } from '../../cypher/executors/memory/run-in-memory.js';
import { type CypherQuery } from '../../cypher/syntax/cypher-ast.js';
import { metered } from '../../cypher/syntax/effort.js';
import { type Now } from '../../cypher/values/temporal/clock-parts.js';
import { type ProfiledOperator } from '../protocol.js';
import { QueryTimeoutError } from '../retrieval.errors.js';
import { AnswerElements } from './answer-elements.js';
import { leastBytesOf } from './answer-values.js';
import { type Executed } from './assemble-answer.js';
import { type PreparedCypher } from '../../cypher/prepare-cypher.js';
import { type CypherRequest } from './cypher-request.js';
import { HeapCeiling } from './heap-ceiling.js';
import { keepTied } from './keep-tied.js';

/** Maximum nodes and edges that are noted as evidence. Those of further rows are not noted, because the citations are full. */
const mostCited = 5_000;
/** Limits of one query: steps for some seconds of work, and 64 MiB of rows and values. `timeout_ms` ends most queries earlier. */
const limits = { steps: 30_000_000, heldBytes: 67_108_864 };

/** The heap ceiling that all queries of this thread share. */
const ceiling = new HeapCeiling();

/** Runs a query on the nodes and edges that the process holds of this graph version. @throws AnswerTooLargeError, QueryTimeoutError */
export async function executeInMemory(
  graph: MemoryGraph,
  { query, parameters }: PreparedCypher,
  request: CypherRequest,
  mostBytes: number,
  pace: Pace,
): Promise<Executed> {
  const started = performance.now();
  const clock = new WatchedClock(request.timeZone);
  const profile: ProfiledOperator[] = [];
  const prepared = prepareInMemory(query, graph, { parameters, limits, now: clock, ...(request.profile && { profile }) });
  const found = keepTied(await takeRows(prepared, { ...request, mostBytes }, started, pace), request.top);
  const isTruncated = found.length > request.limit;
  const rows = isTruncated ? found.slice(0, request.limit) : found;
  return {
    columns: prepared.columns,
    rows,
    isTruncated,
    examples: new AnswerElements(),
    isCut: prepared.hasUncited() || rows.some(({ behind }) => behind === null || behind.isCut),
    tables: [],
    warnings: [],
    plan: { executor: 'memory', ...(request.profile && { profile: profile.map(rounded) }) },
    isOfItsMoment: clock.isRead || callsRandom(query),
  };
}

function rounded({ time_ms: ms, ...operator }: ProfiledOperator): ProfiledOperator {
  return { ...operator, time_ms: Math.round(ms * 100) / 100 };
}

/** A clock that notes whether the query has asked for the time. */
class WatchedClock implements Now {
  isRead = false;
  private readonly moment = BigInt(Date.now()) * 1_000_000n;

  constructor(readonly timeZone: string) {}

  get epochNanoseconds(): bigint {
    this.isRead = true;
    return this.moment;
  }
}

function callsRandom(query: CypherQuery): boolean {
  return holds(query, ({ kind, name }) => kind === 'call' && String(name).toLowerCase() === 'rand');
}

/** Whether some object in a tree of plain objects satisfies `isMeant`. */
function holds(tree: unknown, isMeant: (part: { kind?: unknown; name?: unknown }) => boolean): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return isMeant(tree) || Object.values(tree).some(part => holds(part, isMeant));
}

/**
 * Takes one row more than the caller asked for, which shows whether there are more rows.
 * @throws AnswerTooLargeError before the rows take more bytes than an answer may
 */
async function takeRows(
  prepared: PreparedQuery,
  { limit, timeoutMs, mostBytes }: { limit: number; timeoutMs: number; mostBytes: number },
  started: number,
  pace: Pace,
): Promise<AnswerRow[]> {
  const found: AnswerRow[] = [];
  const held = prepared.work.holding();
  const query = ceiling.begin(prepared.work);
  let [bytes, cited] = [0, 0];
  try {
    for (const row of prepared.rows()) {
      if (pace.isOverdue) {
        await pace.turn();
        if (performance.now() - started > timeoutMs) throw new QueryTimeoutError(timeoutMs);
        query.check();
      }
      if (row === null) continue;
      // The citations are already full, so the elements behind further rows are not kept.
      if (cited > mostCited) row.behind = null;
      cited += row.behind ? row.behind.nodes.size + row.behind.edges.size : 0;
      found.push(row);
      bytes += leastBytesOf(row.values, mostBytes - bytes);
      if (bytes > mostBytes) throw new AnswerTooLargeError('query', bytes, mostBytes);
      metered(prepared.work, () => held.row(row.values));
      if (found.length > limit) break;
    }
    return found;
  } finally {
    query.end();
  }
}
