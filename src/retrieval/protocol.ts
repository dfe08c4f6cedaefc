import { type Bilingual } from '../text/bilingual.js';
import { type FieldProblem } from '../common/errors/api-error.js';
import { type RawJson } from '../common/json/raw-json.js';
import { type AnswerGraph } from '../cypher/values/graph-values.js';
import { type EarlierQuestion } from '../questions/linking/follow-up.js';
import { type EntityNode } from '../questions/linking/meaning.js';
import { type QuestionChoice } from '../questions/planning/question-plan.js';
import { type LinkedTerm, type MetricCall, type MetricEntry, type Synonym } from '../questions/vocabulary.js';
import { type ModelFault } from '../language-model/language-model.errors.js';
import { type Language } from '../text/language.js';

/*
 * The protocol between the API and a retrieval process: HTTP with JSON bodies, over a Unix socket, TCP or TLS.
 *
 *   POST /v1/query    RetrievalQuery  -> 200 RetrievalAnswer, or a RetrievalFailure with its own status
 *   POST /v1/warm     {graph_id} -> 200 {} at once: loads the parts of the newest version that are loaded in an older one
 *   POST /v1/hold     {graph_id} -> 200 {} once the loaded version of a graph is kept, to answer while the next one loads
 *   GET  /v1/health   -> 200 RetrievalHealth
 *
 * Both sides name their version in every message, and refuse a message of another version. A request without a version may only ask
 * for the health, as an orchestrator does; it learns the status and nothing else.
 *
 * A RetrievalAnswer takes three lines of JSON: everything but `rows` and `graph`, then `rows`, then `graph`. Large ones can then be
 * passed on without being parsed. A large answer is sent while it is written. If that fails, the failure comes as a trailer.
 */

/** Changes whenever one side could misread a message of the other. */
export const protocolVersion = 5;

/**
 * Limits of one process. `mostWorking`: the most queries that work at once; one caller has at most half of them. `waitingOfOneCaller`: the
 * most queries of one caller that wait.
 */
export const mostWorking = 8;
export const waitingOfOneCaller = 50;
/** The most queries of one caller that a process accepts at once, working and waiting together. */
export const mostOfOneCaller = mostWorking / 2 + waitingOfOneCaller;

/** The names of headers, in lower case as Node delivers them. */
export const headers = {
  version: 'x-retrieval-protocol',
  /** Milliseconds from the arrival of the request until the answer is due and the work ends. */
  timeout: 'x-retrieval-timeout-ms',
  /** The most bytes that the caller accepts as an answer. */
  budget: 'x-retrieval-answer-bytes',
  /** The signature of the request; see `signature.ts`. */
  signature: 'x-retrieval-signature',
  /** A trailer: a RetrievalFailure as JSON in base64. The answer before it is incomplete. */
  failure: 'x-retrieval-failure',
} as const;

export type QueryKind = 'question' | 'search' | 'cypher';

/** Restricts which nodes a search may find. */
export interface SearchFilter {
  /** Names or aliases of labels. A found node has at least one of them; an empty list allows any label. */
  labels: string[];
  /** Property names, each with values of which a found node has one. */
  where: Record<string, (string | number | boolean)[]>;
}

export interface RetrievalQuery {
  graph_id: number;
  /** An opaque name of the caller whose share of the process pays for the work. */
  caller: string;
  kind: QueryKind;
  text: string;
  /** The JSON object of the values of `$name` in a Cypher text. It stays a text, so that 1 and 1.0 differ and no digit is lost. */
  parameters?: string;
  /** The caller's time zone, for a Cypher text: times in the text that name no zone are in this zone. UTC if absent. */
  timezone?: string;
  /** Whether the plan shows what each operator of a Cypher text did. */
  profile?: boolean;
  /** The most rows in the answer. */
  limit: number;
  /** Which nodes a search may find; used only by searches. */
  filter?: SearchFilter;
  /** The rows of a search to skip, counted in `expected_version`. */
  offset?: number;
  /** The graph version in which `offset` counts. If the current version is another, the request is refused with `cursor_expired`. */
  expected_version?: number;
  /**
   * The version that the graph had when the API read it for this query. Older versions may not answer, unless `oldest_version` allows them.
   */
  least_version?: number;
  /**
   * The oldest version that may answer from memory while `least_version` is being loaded; the answer then says so in its warnings and is
   * not stored. If absent, no version older than `least_version` may answer.
   */
  oldest_version?: number;
  timeout_ms: number;
  /** Milliseconds that the query may wait for a place, on top of `timeout_ms`. If absent, the wait counts against `timeout_ms`. */
  queue_ms?: number;
  /** The caller's date, YYYY-MM-DD, from which 去年 and "last month" are counted. */
  today: string;
  /** The metrics that may answer a question, in addition to the graph. */
  metrics?: MetricEntry[];
  /** Tokens from the `choices` of an earlier answer. They select the wanted meaning of the question. */
  choices?: string[];
  /** The question and answer that this question follows. */
  earlier?: EarlierQuestion;
  /** Additional words for names of the graph and of its metrics. */
  synonyms?: readonly Synonym[];
}

export interface RetrievalAnswer {
  graph_version: number;
  language: Language;
  text: string | null;
  columns: AnswerColumn[];
  rows: unknown[][];
  graph: AnswerGraph;
  citations: Citation[];
  plan: QueryPlan;
  /** Set for a question about a metric: the API runs it on the warehouse and words the answer. */
  metric_call: MetricCall | null;
  /** The offset of the next page; null on the last page. */
  next_offset: number | null;
  warnings: string[];
  /** Set if the question may mean several things: the answer then asks which of these is meant. */
  choices?: QuestionChoice[];
  /** Set if a question could not be answered: similar questions that can be answered. */
  suggestions?: string[];
  timing_ms: Record<string, number>;
  /** Set if the same query may have another answer a moment later. Such an answer is not stored. */
  is_of_its_moment?: true;
  /** Set by the API if a language model takes part in the answer. */
  model?: ModelPart;
}

/** The part that a language model has in an answer. */
export interface ModelPart {
  name: string;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** The sentences of `text`, each with the indexes of the rows that support it; absent if the model did not write the text. */
  sentences?: { text: string; rows: number[] }[];
  /** Why the model did not write the text. Such an answer is not stored. */
  fault?: ModelFault | 'busy';
  retry_after_s?: number;
}

/** An answer whose rows and graph are kept as the bytes that were received. */
export type LargeAnswer = Omit<RetrievalAnswer, 'rows' | 'graph'> & { rows: RawJson; graph: RawJson };

export interface AnswerColumn {
  name: string;
  /**
   * The type of the column's values: node, edge, path, list, map, string, integer, float, number, boolean, date, time, datetime, duration
   * or any.
   */
  type: string;
}

/** The warehouse row that a node or an edge was read from. */
export interface Citation {
  connection: string;
  connection_id: number;
  /** The table name, or `query` if the mapping reads an SQL query. A table may be named `query` too. */
  table: string;
  /**
   * The tables that the mapping's query reads, at most 100. Absent for a table, and for a query that an earlier release ran last.
   */
  query_tables?: string[];
  /**
   * The row's key: the text of each key column, as the source had it, by column name. Empty if the citation is a whole table, for a metric
   * or for an aggregate whose rows cannot be told apart.
   */
  key: Record<string, string>;
  /** The label or type of the node or edge that the row was loaded as; null for a metric, which reads the warehouse itself. */
  label: string | null;
  /** Only if the graph has both a label and an edge type of this name: which of them the row was loaded as. */
  kind?: 'node' | 'edge';
  job_id: number | null;
  loaded_at: string | null;
}

/** How the query was understood, and the statement that was run. */
export interface QueryPlan {
  kind: 'search' | 'cypher' | 'metric';
  /** The terms of a question and the meaning chosen for each. */
  linked?: LinkedTerm[];
  cypher?: string;
  parameters?: Record<string, unknown>;
  /** Executor of a Cypher query: PostgreSQL, or the graph in memory. */
  executor?: 'sql' | 'memory';
  reason?: ExecutorReason;
  profile?: ProfiledOperator[];
  /** Labels, types and properties that the Cypher text names but the graph does not have. */
  unknown_names?: string[];
  /** The language model that proposed the Cypher text. */
  proposed_by?: string;
  sql?: string;
  metric_call?: MetricCall;
  /** The complete question as which a follow-up question was read. */
  read_as?: string;
  /** The nodes for which the pronoun of a follow-up question stood. */
  meant?: EntityNode[];
  /** The relation paths that were considered for a question, the best first. */
  paths?: { path: string; score: number }[];
}

/** Why an executor ran a Cypher query; choose-executor.ts explains them. */
export type ExecutorReason =
  | 'no_graph'
  | 'only_in_memory'
  | 'graph_loaded'
  | 'small_graph'
  | 'value_decides'
  | 'key_given'
  | 'no_relationship'
  | 'graph_not_loaded'
  | 'graph_exceeds_memory'
  | 'graph_changing'
  | 'forced';

/** A part of a query that has run. */
export interface ProfiledOperator {
  operator: string;
  /** The rows that the operator gave to the next one. */
  rows: number;
  /** Milliseconds spent in the operator, without the operators that give it rows. */
  time_ms: number;
}

export interface RetrievalHealth {
  status: 'ok';
  graphs: number;
  bytes: number;
  working: number;
  uptime_s: number;
  /** How often a graph was read from the primary database and from its replica. */
  reads: { primary: number; replica: number };
}

export interface RetrievalFailure {
  status: number;
  code: string;
  text: Bilingual;
  context?: Record<string, unknown>;
  problems?: FieldProblem[];
  /** Seconds to wait before the next attempt; only with status 503. */
  retry_after_s?: number;
}
