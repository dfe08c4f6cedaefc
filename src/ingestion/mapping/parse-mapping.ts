import { atOnce, type Steps } from '../../text/steps.js';
import { isTimeZone } from '../../text/time-zone.js';
import { checkEdges, checkNodes } from './check-mapping.js';
import { type Mapping, type ParsedMapping } from './mapping.js';
import { MappingError, MappingProblems } from './problems.js';
import { parseDuration } from './property-type.js';
import { readEdge, readNode } from './read-element.js';
import { defaultsKeys, rootKeys, sourceKeys } from './root-keys.js';
import { resolveReferences } from './resolve-references.js';
import { YamlReader } from './yaml-reader.js';
import { YamlSyntaxError } from './yaml-syntax-error.js';
import { readYamlTree, type YamlTree } from './yaml-tree.js';

const maxElements = 200;
const maxBatchSize = 1_000_000;
const maxStatementTimeoutMs = 86_400_000;

/**
 * Parses a mapping (schema version 1) and checks everything that can be checked without the source: shape, names, references, rules.
 * @param maxTimeoutMs ceiling of `source.statement_timeout`
 * @throws MappingError that lists every problem, at most 50, each with its line and column
 */
export function* readMapping(text: string, maxTimeoutMs = maxStatementTimeoutMs): Steps<ParsedMapping> {
  const tree = yield* readTree(text);
  yield;
  const problems = new MappingProblems(tree.placeOf);
  const root = new YamlReader(tree.root, [], problems, tree.placeAt);
  const map = root.asMap(Object.keys(rootKeys));

  const version = map.required('version');
  if (version && (version.node.kind !== 'scalar' || version.node.value !== 1)) {
    version.problem('unsupported_version', { zh: '只支持 version: 1', en: 'only version: 1 is supported' });
  }
  const mapping: Mapping = {
    version: 1,
    name: map.optional('name')?.asText(rootKeys.name) ?? null,
    source: readSource(map.optional('source'), maxTimeoutMs),
    defaults: readDefaults(map.optional('defaults')),
    nodes: [],
    edges: [],
  };
  if (map.optional('batch_size')?.asWhole({ min: 1, max: maxBatchSize }) != null) {
    problems.warn('no_effect', ['batch_size'], {
      zh: 'batch_size 没有作用：一次运行是一个事务，没有中途可续的批次；可以删去',
      en: 'batch_size has no effect, because a run is one transaction and has no batches to go on from; it can be left out',
    });
  }
  const nodeItems = map.optional('nodes')?.asList() ?? [];
  const edgeItems = map.optional('edges')?.asList() ?? [];
  if (!map.has('nodes') && !map.has('edges')) root.problem('missing_key', { zh: '缺少「nodes」', en: "'nodes' is missing" });
  else if (nodeItems.length + edgeItems.length === 0)
    root.problem('empty_list', { zh: 'nodes 与 edges 均为空', en: 'nodes and edges are both empty' });
  if (nodeItems.length + edgeItems.length > maxElements) {
    root.problem('wrong_type', {
      zh: `nodes 与 edges 合计最多 ${maxElements} 项`,
      en: `at most ${maxElements} nodes and edges together`,
    });
    problems.throwIfAny();
  }
  const nodes = yield* readEach(nodeItems, readNode);
  const edges = yield* readEach(edgeItems, readEdge);
  // If a handle is unreadable, every edge that names this node would be reported as naming an unknown node. This would hide the real
  // problem.
  const mayBeMisspelt = !map.has('nodes') && map.keys().some(key => !Object.hasOwn(rootKeys, key));
  const allNodesRead = nodes.length === nodeItems.length && nodes.every(({ id }) => id !== null) && !mayBeMisspelt;
  checkNodes(nodes, problems);
  yield;
  mapping.edges = checkEdges(edges, nodes, allNodesRead, problems);
  yield;
  resolveReferences(nodes, edges, allNodesRead, problems);
  mapping.nodes = nodes.flatMap(({ id, label, source, ...node }) =>
    id === null || label === null || source === null ? [] : [{ ...node, id, label, source }],
  );
  problems.throwIfAny(mapping);
  return { mapping, warnings: problems.warnings, placeOf: tree.placeOf };
}

/** Runs {@link readMapping} without pauses. */
export function parseMapping(text: string): ParsedMapping {
  return atOnce(readMapping(text));
}

function* readEach<T>(items: YamlReader[], read: (item: YamlReader) => T | null): Steps<T[]> {
  const found: T[] = [];
  for (const item of items) {
    const value = read(item);
    if (value !== null) found.push(value);
    yield;
  }
  return found;
}

function* readTree(text: string): Steps<YamlTree> {
  try {
    return yield* readYamlTree(text);
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    const { code, text, place, hint } = error;
    throw new MappingError([{ type: code, path: [], text, hint, ...place, end: place }], error);
  }
}

function readSource(at: YamlReader | null, maxTimeoutMs: number): Mapping['source'] {
  const map = at?.asMap(Object.keys(sourceKeys));
  return {
    connection: map?.optional('connection')?.asText(sourceKeys.connection) ?? null,
    timezone: readTimezone(map?.optional('timezone') ?? null),
    statementTimeoutMs: readTimeout(map?.optional('statement_timeout') ?? null, maxTimeoutMs),
  };
}

function readTimezone(at: YamlReader | null): string {
  const { timezone } = sourceKeys;
  const zone = at?.asText(timezone) ?? timezone.default;
  if (isTimeZone(zone)) return zone;
  at?.problem('wrong_type', { zh: `未知时区 '${zone}'`, en: `unknown time zone '${zone}'` }, 'Asia/Shanghai');
  return timezone.default;
}

function readTimeout(at: YamlReader | null, maxMs: number): number {
  const usualMs = Math.min(parseDuration(sourceKeys.statement_timeout.default)!, maxMs);
  if (!at) return usualMs;
  const timeoutMs = parseDuration(at.asText() ?? '');
  if (timeoutMs !== null && timeoutMs > 0 && timeoutMs <= maxMs) return timeoutMs;
  const most = `${maxMs / 1000}s`;
  at.problem('wrong_type', { zh: `应为时长，如 300s、5m（最多 ${most}）`, en: `must be a duration such as 300s or 5m, at most ${most}` });
  return usualMs;
}

function readDefaults(at: YamlReader | null): Mapping['defaults'] {
  const { on_error, max_error_rows, max_error_rate, empty_as_null, trim } = defaultsKeys;
  const map = at?.asMap(Object.keys(defaultsKeys));
  return {
    onError: map?.optional('on_error')?.asOneOf(on_error.values) ?? on_error.default,
    maxErrorRows: map?.optional('max_error_rows')?.asWhole() ?? max_error_rows.default,
    maxErrorRate: map?.optional('max_error_rate')?.asNumber({ min: 0, max: 1 }) ?? max_error_rate.default,
    emptyAsNull: map?.optional('empty_as_null')?.asBoolean() ?? empty_as_null.default,
    trim: map?.optional('trim')?.asBoolean() ?? trim.default,
  };
}
