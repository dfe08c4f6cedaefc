import { Pace } from '../../common/turns/pace.js';
import { mostTerms, type SearchRequest, type SearchResult } from '../../graph-index/search-index.js';
import { normalizeText } from '../../graph-index/tokenize-text.js';
import { type AnswerColumn, type RetrievalAnswer, type SearchFilter } from '../protocol.js';
import { type Language } from '../../text/language.js';
import { CursorExpiredError } from '../retrieval.errors.js';
import { type LoadedGraph, type LoadedGraphs, type LoadedIndex } from './loaded-graphs.js';
import { type PropertiesRead } from '../../cypher/plan/properties-read.js';
import { type LoadedElements } from './graph-in-memory.js';
import { propertiesOf, readFilter } from './search-filter.js';
import { withLoaded } from './with-loaded.js';
import { toCitations } from './to-citations.js';
import { isRead, type NodeRow, readNodes, toAnswerNode } from './read-evidence.js';
import { readContext } from './read-context.js';
import { type GraphReader, type RetrievalDatabase } from './retrieval-database.js';

export interface SearchQuery {
  graphId: number;
  text: string;
  limit: number;
  offset: number;
  filter: SearchFilter | null;
  expectedVersion?: number;
  oldestVersion?: number;
  timeoutMs: number;
  language: Language;
}

const searchColumns: AnswerColumn[] = [
  { name: 'node', type: 'node' },
  { name: 'score', type: 'float' },
  { name: 'context', type: 'list' },
];
/** The deepest hit that pages of a search reach. Finding a page means keeping all hits before it in order. */
const mostPaged = 10_000;
/** The most characters of a node that are searched for a corrected word. Searching so many takes some 10 ms. */
const longestLookedAt = 20_000;

/** Finds one page of ranked nodes, each with the nodes that it belongs to. */
export async function runSearch(
  database: RetrievalDatabase,
  graphs: LoadedGraphs,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<RetrievalAnswer> {
  return withLoaded(
    database,
    graphs,
    query,
    signal,
    {
      now: graph => {
        const read = propertiesRead(graph, query.filter);
        const index = graphs.indexNow(graph);
        const elements = index && read && graphs.elementsNow(graph, read, 'filter');
        return index && (elements || !read) ? withElements(index, elements) : null;
      },
      load: async graph => {
        const read = propertiesRead(graph, query.filter);
        const elements = read && (await graphs.elementsOf(graph, read, 'filter'));
        const index = read && !elements ? null : await graphs.indexOf(graph);
        if (read) graphs.requireRoom(graph, read, 'filter');
        return index && { ...index, elements };
      },
    },
    async (reader, graph, loaded) => {
      if (query.offset >= mostPaged) throw new CursorExpiredError();
      if (query.expectedVersion !== undefined && query.expectedVersion !== reader.version) throw new CursorExpiredError();
      const filter = query.filter ? readFilter(graph, query.filter, loaded.elements) : {};
      return searchGraph(reader, graph, loaded, { ...query, ...filter }, new Pace(signal));
    },
  );
}

/** The properties whose columns a filter reads; null if the filter reads no property. @throws UnknownFilterError */
function propertiesRead(graph: LoadedGraph, filter: SearchFilter | null): PropertiesRead | null {
  const names = filter ? new Set(propertiesOf(graph, filter).keys()) : new Set<string>();
  return names.size > 0 ? { names, looked: new Set() } : null;
}

async function withElements(index: Promise<LoadedIndex>, elements: Promise<LoadedElements> | null) {
  return { ...(await index), elements: await elements };
}

/**
 * @param query `missed`, if given: the warnings show the corrections of these words only, and only if a shown node contains the correction
 */
export async function searchGraph(
  reader: GraphReader,
  graph: LoadedGraph,
  { index, toOne }: LoadedIndex,
  query: Pick<SearchQuery, 'text' | 'limit' | 'offset' | 'language'> &
    Pick<SearchRequest, 'labels' | 'isWanted'> & { missed?: readonly string[] },
  pace: Pace,
): Promise<RetrievalAnswer> {
  const started = performance.now();
  const { text, limit, offset, labels, isWanted } = query;
  const request = { text, limit, offset, labelNames: graph.labelNames, ...(labels ? { labels } : {}), ...(isWanted ? { isWanted } : {}) };
  const found = await index.search(request, pace);
  const searched = performance.now() - started;
  const ids = found.hits.map(hit => hit.id);
  const nodes = new Map((await readNodes(reader, ids)).map(node => [node.id, node]));
  const context = await readContext(reader, ids, toOne);
  const hits = found.hits.flatMap(hit => {
    const node = nodes.get(hit.id);
    return node ? [{ hit, node }] : [];
  });
  const shown = hits.map(({ node }) => node);
  const corrections = query.missed ? await toldOf(found.corrections, query.missed, shown, pace) : found.corrections;
  const cited = shown.filter(isRead).map(node => ({
    kind: 'node' as const,
    name: node.label,
    key: node.key,
    jobId: node.job_id,
    loadedAt: node.loaded_at,
  }));
  const { citations } = toCitations(graph.schema, cited);
  const end = query.offset + found.hits.length;
  return {
    graph_version: reader.version,
    language: query.language,
    text: sentence(query, found.total, hits[0]?.node.display),
    columns: searchColumns,
    rows: hits.map(({ hit, node }) => [toAnswerNode(node), hit.score, context.get(node.id) ?? []]),
    graph: { nodes: shown.map(toAnswerNode), edges: [] },
    citations,
    plan: { kind: 'search' },
    metric_call: null,
    next_offset: end < Math.min(found.total, mostPaged) && found.hits.length > 0 ? end : null,
    warnings: [
      ...warningsOf({ ...found, corrections }, query.language),
      ...(end >= mostPaged && found.total > mostPaged ? [noFurther[query.language]] : []),
    ],
    timing_ms: { search: searched },
  };
}

/**
 * The corrections of missed words whose corrected word occurs in a shown node. Only the first `longestLookedAt` characters of a node are
 * searched.
 */
async function toldOf(
  corrections: SearchResult['corrections'],
  missed: readonly string[],
  shown: readonly NodeRow[],
  pace: Pace,
): Promise<SearchResult['corrections']> {
  let open = corrections.filter(({ from }) => missed.includes(from));
  const told = new Set<SearchResult['corrections'][number]>();
  for (const node of shown) {
    if (open.length === 0) break;
    if (pace.isOverdue) await pace.turn();
    const { display, key, properties } = toAnswerNode(node);
    const text = normalizeText(JSON.stringify([display, key, properties]).slice(0, longestLookedAt));
    for (const correction of open) if (text.includes(correction.to)) told.add(correction);
    open = open.filter(correction => !told.has(correction));
  }
  return corrections.filter(correction => told.has(correction));
}

const noFurther = {
  zh: `只能翻到第 ${mostPaged} 个结果，还有更多；请用更具体的词、labels 或 where`,
  en: `Pages end at hit ${mostPaged}, and there are more; use more specific words, labels or where`,
};

function warningsOf({ corrections, unread }: SearchResult, language: Language): string[] {
  const say = (zh: string, en: string): string => (language === 'zh' ? zh : en);
  const warnings = corrections.map(({ from, to }) =>
    say(`没有“${from}”，按相近的“${to}”查找`, `Nothing is spelled "${from}"; searched for the similar "${to}"`),
  );
  if (unread > 0)
    warnings.push(
      say(
        `只按前 ${mostTerms} 个词查找，其余 ${unread} 个未用`,
        `Only the first ${mostTerms} words were searched for; ${unread} more were not`,
      ),
    );
  return warnings;
}

function sentence(query: Pick<SearchQuery, 'text' | 'language'>, total: number, best: string | undefined): string {
  if (best === undefined) return query.language === 'zh' ? `没有找到与“${query.text}”相关的内容。` : `Nothing matches "${query.text}".`;
  if (query.language === 'zh') return `“${query.text}”共有 ${total} 条结果，最接近的是“${best}”。`;
  return total === 1 ? `One result for "${query.text}": ${best}.` : `${total} results for "${query.text}", the closest is ${best}.`;
}
