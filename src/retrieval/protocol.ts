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
 *   POST /v1/warm     {graph_id} -> 200 {} at once: loads of the newest version what was loaded of an older one
 *   POST /v1/hold     {graph_id} -> 200 {} once what is loaded of a graph will go on answering while its next version loads
 *   GET  /v1/health   -> 200 RetrievalHealth
 *
 * Both sides name their version in every message, and neither reads one of another version. A request without a version may only ask
 * for the health, as an orchestrator does; it learns the status and nothing else.
 *
 * A RetrievalAnswer takes three lines of JSON: everything but `rows` and `graph`, then `rows`, then `graph`. Large ones can then be
 * passed on without being parsed. A large answer is sent while it is written. If that fails, the failure comes as a trailer.
 */

/** Changes whenever one side could misread a message of the other. */
export const protocolVersion = 5;

/** The queries that may work at once in a process, of which a caller has half at most, and those of one caller that may wait there. */
export const mostWorking = 8;
export const waitingOfOneCaller = 50;
/** A process refuses a caller more than these. */
export const mostOfOneCaller = mostWorking / 2 + waitingOfOneCaller;

/** The names of headers, as Node gives them. */
export const headers = {
  version: 'x-retrieval-protocol',
  /** Milliseconds from the arrival of the request. The answer is due by then, and the work ends. */
  timeout: 'x-retrieval-timeout-ms',
  /** The most bytes that the caller takes as an answer. */
  budget: 'x-retrieval-answer-bytes',
  /** See `signature.ts`. */
  signature: 'x-retrieval-signature',
  /** A trailer: a RetrievalFailure as JSON in base64. The answer before it is incomplete. */
  failure: 'x-retrieval-failure',
} as const;

export type QueryKind = 'question' | 'search' | 'cypher';

/** Which nodes a search may find. */
export interface SearchFilter {
  /** Names or aliases of labels, of which a node has one; empty for any. */
  labels: string[];
  /** The values of which a property has one, by name. */
  where: Record<string, (string | number | boolean)[]>;
}

export interface RetrievalQuery {
  graph_id: number;
  /** The caller whose share of the process pays for the work; an opaque name. */
  caller: string;
  kind: QueryKind;
  text: string;
  /** The JSON object of the values of `$name` in a Cypher text. It is a text, so that 1 and 1.0 differ and no digit is lost. */
  parameters?: string;
  /** The zone of whoever asks, for a Cypher text: the zone of its times that name none. UTC if absent. */
  timezone?: string;
  /** Whether the plan shows what each operator of a Cypher text did. */
  profile?: boolean;
  /** The most rows in the answer. */
  limit: number;
  /** Search only. */
  filter?: SearchFilter;
  /** The rows to skip (search only), counted in the graph version below. */
  offset?: number;
  /** The version that `offset` belongs to. If the current version is another, the request is refused with `cursor_expired`. */
  expected_version?: number;
  /** The version that the caller has seen. No older one may answer. */
  least_version?: number;
  /**
   * The oldest version that may answer from memory while `least_version` is being loaded; the answer then says so in its warnings and is
   * not stored. Absent if none older than `least_version` may.
   */
  oldest_version?: number;
  timeout_ms: number;
  /** How long it may wait for a place, on top of `timeout_ms`. If absent, the wait counts against `timeout_ms`. */
  queue_ms?: number;
  /** The caller's date, YYYY-MM-DD. 去年 and "last month" are relative to it. */
  today: string;
  /** The metrics that may answer a question, besides the graph. */
  metrics?: MetricEntry[];
  /** The tokens of what a question means, which an earlier answer gave. */
  choices?: string[];
  /** The question that a question follows. */
  earlier?: EarlierQuestion;
  /** Further words for things of the graph and its metrics. */
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
  /** The offset of the next page; null at the end. */
  next_offset: number | null;
  warnings: string[];
  /** Set if the question may mean several things: the answer asks back. */
  choices?: QuestionChoice[];
  /** Answerable questions near one that was not answered. */
  suggestions?: string[];
  timing_ms: Record<string, number>;
  /** Set if the same query may have another answer a moment later. Such an answer is not stored. */
  is_of_its_moment?: true;
  /** Set by the API, where a language model has a part in the answer. */
  model?: ModelPart;
}

/** Part of a language model in an answer. */
export interface ModelPart {
  name: string;
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** The sentences of `text`, each with the places of the rows that it rests on; absent if the text is not the model's. */
  sentences?: { text: string; rows: number[] }[];
  /** Why the model has no part in the text. Such an answer is not stored. */
  fault?: ModelFault | 'busy';
  retry_after_s?: number;
}

/** An answer whose rows and graph stay the bytes that were received. */
export type LargeAnswer = Omit<RetrievalAnswer, 'rows' | 'graph'> & { rows: RawJson; graph: RawJson };

export interface AnswerColumn {
  name: string;
  /** node, edge, path, list, map, string, integer, float, number, boolean, date, time, datetime, duration or any. */
  type: string;
}

/** The warehouse row that a node or an edge was read from. */
export interface Citation {
  connection: string;
  connection_id: number;
  /** The table name, or `query` if the mapping reads an SQL query. A table may be named `query` too. */
  table: string;
  /** The tables that the query reads, at most 100. Absent for a table, and for a query whose last run was of an earlier release. */
  query_tables?: string[];
  /**
   * Maps column to text, as the source had it. Empty if the citation is a whole table: for a metric, or an aggregate whose rows
   * cannot be told apart.
   */
  key: Record<string, string>;
  /** Label, job and time of the node or edge behind the row; null for a metric, which reads the warehouse itself. */
  label: string | null;
  job_id: number | null;
  loaded_at: string | null;
}

/** The reading of the query, and the statement that was run. */
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
  /** Labels, types and properties of a Cypher text that the graph has not. */
  unknown_names?: string[];
  /** The language model that proposed the Cypher text. */
  proposed_by?: string;
  sql?: string;
  metric_call?: MetricCall;
  /** The whole question that a follow-up was read as. */
  read_as?: string;
  /** Nodes that the pronoun of a follow-up stood for. */
  meant?: EntityNode[];
  /** The relation paths that were considered, the best first. */
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
  /** The rows that it gave. */
  rows: number;
  /** The time in it, without the parts that it takes its rows from. */
  time_ms: number;
}

export interface RetrievalHealth {
  status: 'ok';
  graphs: number;
  bytes: number;
  working: number;
  uptime_s: number;
  /** How often a graph was read from the database and from its replica. */
  reads: { primary: number; replica: number };
}

export interface RetrievalFailure {
  status: number;
  code: string;
  text: Bilingual;
  context?: Record<string, unknown>;
  problems?: FieldProblem[];
  /** With 503: the seconds to wait. */
  retry_after_s?: number;
}
