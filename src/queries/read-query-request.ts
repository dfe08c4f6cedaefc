import { createHash } from 'node:crypto';
import { SchemaError } from '../common/errors/api-error.js';
import { version } from '../config/version.js';
import { type CypherValue, isList, isMap } from '../cypher/values/cypher-value.js';
import { readJsonParameters } from '../cypher/values/read-json-value.js';
import { type QueryKind, type SearchFilter } from '../retrieval/protocol.js';
import { inNormalForm } from '../text/normal-form.js';
import { isTimeZone, timeZoneForm } from '../text/time-zone.js';
import { type AnswerMode, type ExactQueryRequest, type Include, type QueryContext, type QueryRequest } from './queries.dto.js';
import { IneffectiveOptionsError, OneQueryKindError } from './queries.errors.js';

/** A request with its defaults filled in and its options checked against each other. */
export interface GraphQuery {
  kind: QueryKind;
  text: string;
  /** The JSON text of the object of parameters, exactly as it was sent. */
  parameters: string;
  limit: number;
  /** The time zone that the request names; null if it names none. */
  timezone: string | null;
  /** Which nodes a search may find; null if it may find all. */
  filter: SearchFilter | null;
  offset: number;
  /** The graph version in which `offset` counts; null on a first page. */
  cursorVersion: number | null;
  /** Maximum milliseconds that the query may run. */
  timeoutMs: number;
  /** Tokens from the `choices` of an earlier answer, which select the wanted meaning of the question. */
  choices: string[];
  /** The question that this question follows; null if none. */
  context: QueryContext | null;
  answer: AnswerMode;
  refresh: boolean;
  include: ReadonlySet<Include>;
}

const limits = { search: { usual: 20, most: 200 }, cypher: { usual: 1000, most: 10_000 }, question: { usual: 1000, most: 10_000 } };

/**
 * Reads the body of a query.
 * @param maxTimeoutMs the largest and the default `timeout_ms`
 * @throws OneQueryKindError (400); IneffectiveOptionsError and SchemaError (422), which list all problems of the body at once
 */
export function readQueryRequest(body: ExactQueryRequest, maxTimeoutMs: number): GraphQuery {
  const given = (['question', 'search', 'cypher'] as const).filter(kind => body[kind] != null);
  const kind = given[0];
  if (kind === undefined || given.length > 1) throw new OneQueryKindError(given);
  const text = body[kind] ?? '';
  if (text.trim() === '')
    throw new SchemaError([{ loc: ['body', kind], text: { zh: '不能为空', en: 'must not be blank' }, type: 'empty' }]);
  if (text.includes('\0'))
    throw new SchemaError([{ loc: ['body', kind], text: { zh: '不能包含 NUL 字符', en: 'must not contain NUL' }, type: 'string_pattern' }]);
  requireEffect(body, kind);
  if (body.timezone != null && !isTimeZone(body.timezone))
    throw new SchemaError([{ loc: ['body', 'timezone'], text: timeZoneForm, type: 'unknown_timezone' }]);
  const limit = body.limit ?? limits[kind].usual;
  if (limit > limits[kind].most) {
    throw new SchemaError([
      {
        loc: ['body', 'limit'],
        text: { zh: `最多 ${limits[kind].most}`, en: `at most ${limits[kind].most} for a ${kind}` },
        type: 'too_large',
      },
    ]);
  }
  const timeoutMs = body.timeout_ms ?? maxTimeoutMs;
  if (timeoutMs > maxTimeoutMs) {
    throw new SchemaError([
      {
        loc: ['body', 'timeout_ms'],
        text: { zh: `此服务最多允许 ${maxTimeoutMs} 毫秒`, en: `at most ${maxTimeoutMs} ms on this service` },
        type: 'too_large',
        maximum: maxTimeoutMs,
      },
    ]);
  }
  const cursor = body.cursor == null ? null : readCursor(body.cursor);
  return {
    kind,
    text,
    parameters: body.parameters == null ? '{}' : (body.parametersText ?? JSON.stringify(body.parameters)),
    limit,
    timezone: body.timezone ?? null,
    filter: readFilter(body),
    offset: cursor?.offset ?? 0,
    cursorVersion: cursor?.version ?? null,
    timeoutMs,
    choices: body.choices ?? [],
    context: body.context == null ? null : readContext(body.context),
    answer: body.answer ?? 'auto',
    refresh: body.cache === 'refresh',
    include: new Set(body.include ?? []),
  };
}

function requireEffect(body: QueryRequest, kind: QueryKind): void {
  const problems: { name: string; zh: string; en: string }[] = [];
  if (body.parameters != null && kind !== 'cypher')
    problems.push({ name: 'parameters', zh: '只用于 cypher', en: 'has an effect with cypher only' });
  if (body.timezone != null && kind === 'search')
    problems.push({ name: 'timezone', zh: '只用于 question 与 cypher', en: 'has an effect with question and cypher only' });
  if (body.include?.includes('profile') && kind !== 'cypher')
    problems.push({ name: 'include', zh: 'profile 只用于 cypher', en: 'profile has an effect with cypher only' });
  if (body.choices != null && kind !== 'question')
    problems.push({ name: 'choices', zh: '只用于 question', en: 'has an effect with question only' });
  if (body.context != null && kind !== 'question')
    problems.push({ name: 'context', zh: '只用于 question', en: 'has an effect with question only' });
  for (const name of ['labels', 'where'] as const)
    if (body[name] != null && kind !== 'search') problems.push({ name, zh: '只用于 search', en: 'has an effect with search only' });
  if (body.cursor != null && kind !== 'search')
    problems.push({ name: 'cursor', zh: '只用于 search', en: 'has an effect with search only' });
  if (body.answer === 'extractive' && kind === 'cypher') {
    problems.push({ name: 'answer', zh: 'cypher 的结果不组成句子', en: 'the rows of a cypher query are not worded' });
  }
  if (body.answer === 'llm' && kind !== 'question')
    problems.push({ name: 'answer', zh: 'llm 只用于 question', en: 'llm has an effect with question only' });
  if (problems.length > 0) throw new IneffectiveOptionsError(problems);
}

function readContext(context: QueryContext): QueryContext {
  if ((context.query_id == null) === (context.question == null))
    throw new SchemaError([
      {
        loc: ['body', 'context'],
        text: { zh: '须给出 query_id 与 question 之一', en: 'must have either query_id or question' },
        type: 'one_of',
      },
    ]);
  return context;
}

const [mostProperties, mostValues, longestValue] = [10, 100, 1_000];

function readFilter({ labels, where }: QueryRequest): SearchFilter | null {
  if (labels == null && where == null) return null;
  const properties = Object.entries(where ?? {}).map(([property, given]): [string, SearchFilter['where'][string]] => {
    const values = Array.isArray(given) ? (given as unknown[]) : [given];
    if (values.length === 0 || values.length > mostValues || !values.every(isFilterValue))
      throw new SchemaError([
        {
          loc: ['body', 'where', property],
          text: {
            zh: `须为文本（最多 ${longestValue} 个字符）、不超过 2^53 的数或布尔，或其 1 至 ${mostValues} 项的列表`,
            en: `must be a text of at most ${longestValue} characters, a number (an integer within 2^53) or a boolean, or a list of 1 to ${mostValues} of them`,
          },
          type: 'filter_value',
        },
      ]);
    return [property, values];
  });
  if (properties.length > mostProperties)
    throw new SchemaError([
      {
        loc: ['body', 'where'],
        text: { zh: `最多 ${mostProperties} 个属性`, en: `at most ${mostProperties} properties` },
        type: 'too_large',
      },
    ]);
  return { labels: labels ?? [], where: Object.fromEntries(properties) };
}

function isFilterValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string'
    ? value.length <= longestValue
    : typeof value === 'boolean' || (typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value)));
}

/** Encodes the offset of a search's next page and the version of the graph in which the offset counts. */
export function toCursor(version: number, offset: number): string {
  return Buffer.from(`${version}.${offset}`).toString('base64url');
}

function readCursor(cursor: string): { version: number; offset: number } {
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) {
    throw new SchemaError([
      {
        loc: ['body', 'cursor'],
        text: { zh: '须为上一页的 next_cursor', en: 'must be the next_cursor of an earlier page' },
        type: 'string_pattern',
      },
    ]);
  }
  return { version: Number(match[1]), offset: Number(match[2]) };
}

/**
 * The key of a stored answer. It covers everything that decides the answer, besides graph and version, including the release of the
 * service. It leaves out options that only shape the response (`include`, `answer`) or bound the work (`timeout_ms`). It leaves out the
 * caller too, because all who may read a graph see the same answers. Long parameters are covered by their text.
 * @param context everything else that the answer depends on, such as the retrieval processes and, for a question, today's date
 */
export function hashOf(query: GraphQuery, context: unknown): Buffer {
  const { kind, text, limit, offset, timezone, include, choices, filter } = query;
  const asked = kind === 'cypher' ? text : inNormalForm(text, 'NFC').trim();
  return createHash('sha256')
    .update(
      canonicalJson([
        version,
        kind,
        asked,
        parametersKey(query.parameters),
        limit,
        offset,
        timezone,
        include.has('profile'),
        // Without choices and filter the key is the same as before these options existed.
        ...(choices.length > 0 ? [[...choices].sort()] : []),
        ...(filter ? [filter] : []),
        context,
      ]),
    )
    .digest();
}

const digests = new WeakMap<object, string>();

/**
 * A digest that stands for a large object in the key of an answer. The digest is computed once per object, so the object must not change
 * afterwards. Equal objects have equal digests only if their keys were added in the same order.
 */
export function digestOf(value: object): string {
  const known = digests.get(value);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(JSON.stringify(value)).digest('base64');
  digests.set(value, digest);
  return digest;
}

/**
 * Maximum characters of parameters whose names are sorted for the key. Sorting 90,000 numbers blocks the process for 70 to 100 ms, hashing
 * their text for 1 ms.
 */
const longestOrdered = 8_192;

/**
 * The parameters as a part of the key under which an answer is stored. Up to `longestOrdered` characters, parameters in another order give
 * the same key. Longer parameters are hashed as they are written.
 */
function parametersKey(text: string): unknown {
  return text.length > longestOrdered ? text : marked(readJsonParameters(text));
}

/** The value of a parameter for the key of an answer, as JSON in which 1, 1.0 and '1' differ, and 0.0 and -0.0 too. */
function marked(value: CypherValue): unknown {
  if (typeof value === 'bigint') return `i${value}`;
  if (typeof value === 'number') return Object.is(value, -0) ? 'f-0' : `f${value}`;
  if (typeof value === 'string') return `s${value}`;
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(marked);
  return isMap(value) ? Object.fromEntries([...value].map(([name, inner]) => [name, marked(inner)])) : value;
}

/** JSON in which the names of every object are sorted. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
