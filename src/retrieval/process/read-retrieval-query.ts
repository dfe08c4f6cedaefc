import { type EarlierQuestion } from '../../questions/linking/follow-up.js';
import { type MetricEntry, type Synonym } from '../../questions/vocabulary.js';
import { type QueryKind, type RetrievalQuery, type SearchFilter } from '../protocol.js';
import { ProtocolError } from '../retrieval.errors.js';

const kinds: readonly string[] = ['question', 'search', 'cypher'] satisfies QueryKind[];

/**
 * Reads a query request of the protocol. The API has checked the user's part of the request, so one error for all problems is enough.
 * @throws ProtocolError
 */
export function readRetrievalQuery(text: string): RetrievalQuery {
  const fields = fieldsOf(text);
  const integer = (name: string, min: number): number => {
    const value = fields[name];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) throw refusal(name);
    return value;
  };
  const { kind, caller, text: asked, today, parameters, timezone, profile, metrics, choices, filter, synonyms, earlier } = fields;
  if (typeof kind !== 'string' || !kinds.includes(kind)) throw refusal('kind');
  if (typeof caller !== 'string' || caller === '' || caller.length > 64) throw refusal('caller');
  if (typeof asked !== 'string') throw refusal('text');
  if (typeof today !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(today)) throw refusal('today');
  if (parameters !== undefined && typeof parameters !== 'string') throw refusal('parameters');
  if (timezone !== undefined && typeof timezone !== 'string') throw refusal('timezone');
  if (profile !== undefined && typeof profile !== 'boolean') throw refusal('profile');
  if (metrics !== undefined && !Array.isArray(metrics)) throw refusal('metrics');
  if (choices !== undefined && !(Array.isArray(choices) && choices.every(choice => typeof choice === 'string'))) throw refusal('choices');
  if (filter !== undefined && !isFilter(filter)) throw refusal('filter');
  if (earlier !== undefined && !isEarlier(earlier)) throw refusal('earlier');
  if (synonyms !== undefined && !Array.isArray(synonyms)) throw refusal('synonyms');
  return {
    graph_id: integer('graph_id', 1),
    caller,
    kind: kind as QueryKind,
    text: asked,
    today,
    limit: integer('limit', 1),
    timeout_ms: integer('timeout_ms', 1),
    ...(fields.queue_ms === undefined ? {} : { queue_ms: integer('queue_ms', 1) }),
    ...(fields.offset === undefined ? {} : { offset: integer('offset', 0) }),
    ...(fields.expected_version === undefined ? {} : { expected_version: integer('expected_version', 0) }),
    ...(fields.least_version === undefined ? {} : { least_version: integer('least_version', 0) }),
    ...(fields.oldest_version === undefined ? {} : { oldest_version: integer('oldest_version', 0) }),
    ...(filter === undefined ? {} : { filter }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(profile === undefined ? {} : { profile }),
    ...(metrics === undefined ? {} : { metrics: metrics as MetricEntry[] }),
    ...(choices === undefined ? {} : { choices }),
    ...(earlier === undefined ? {} : { earlier }),
    ...(synonyms === undefined ? {} : { synonyms: synonyms as Synonym[] }),
  };
}

/** The graph id in the body of `POST /v1/warm` or `POST /v1/hold`. @throws ProtocolError */
export function readGraphRequest(text: string): number {
  const { graph_id: graphId } = fieldsOf(text);
  if (typeof graphId !== 'number' || !Number.isSafeInteger(graphId)) throw refusal('graph_id');
  return graphId;
}

function isFilter(value: unknown): value is SearchFilter {
  const { labels, where } = (value ?? {}) as Partial<SearchFilter>;
  return (
    Array.isArray(labels) && typeof where === 'object' && where !== null && Object.values(where).every(values => Array.isArray(values))
  );
}

function isEarlier(value: unknown): value is EarlierQuestion {
  const { text, found, meant } = (value ?? {}) as Partial<EarlierQuestion>;
  return typeof text === 'string' && [found, meant].every(nodes => nodes === null || Array.isArray(nodes));
}

function fieldsOf(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refusal('body');
  }
  if (typeof body !== 'object' || body === null) throw refusal('body');
  return body as Record<string, unknown>;
}

function refusal(field: string): ProtocolError {
  return new ProtocolError({ zh: `协议请求的 ${field} 无效`, en: `The protocol request has an invalid ${field}` });
}
