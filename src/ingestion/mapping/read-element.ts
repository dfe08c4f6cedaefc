import { deletesKeys, edgeKeys, endKeys, furtherLabelKeys, incrementalKeys, nodeKeys } from './element-keys.js';
import {
  type ColumnMapping,
  type Deletes,
  type EdgeEnd,
  type EdgeMapping,
  type ElementSource,
  type FurtherLabel,
  type Incremental,
  type NodeMapping,
} from './mapping.js';
import { nodeNamed } from './node-named.js';
import { parseDuration } from './property-type.js';
import { readColumn } from './read-column.js';
import { type MapReader, type YamlReader } from './yaml-reader.js';

const maxColumns = 200;
const maxLabels = 32;
/** The keys `table` and `query` of a node or an edge, by the wrong names that authors write for them. */
const sourceSynonyms = { source: 'table', sql: 'query' };
const shownColumns = 5;

/** A node as written. A part that could not be read is null and has been reported; all other parts are checked nonetheless. */
export type WrittenNode = Nullable<NodeMapping, 'id' | 'label' | 'source'>;

/** An end of an edge as written. If it names its node by handle, `check-mapping` fills in the label. */
export interface WrittenEnd extends Omit<EdgeEnd, 'label'> {
  label: string | null;
}
export type WrittenEdge = Nullable<Omit<EdgeMapping, 'from' | 'to'>, 'type' | 'source'> & {
  from: WrittenEnd | null;
  to: WrittenEnd | null;
};

type Nullable<T, Keys extends keyof T> = Omit<T, Keys> & { [Key in Keys]: T[Key] | null };

export function readNode(at: YamlReader): WrittenNode | null {
  if (at.node.kind !== 'map') {
    at.wrongType('map');
    return null;
  }
  const map = at.asMap(Object.keys(nodeKeys), sourceSynonyms);
  const id = readHandle(map.required('id'));
  const label = map.required('label')?.asText(nodeKeys.label) ?? null;
  const labels = readLabels(map.optional('labels'));
  const source = readSource(at, map);
  const key = map.required('key')?.asTexts(nodeKeys.key) ?? [];
  if (map.has('key') && map.optional('key')?.node.kind === 'list' && key.length === 0) {
    map.optional('key')!.problem('empty_list', { zh: 'key 至少要有一列', en: 'key needs at least one column' });
  }
  const columns = readColumns(map.required('columns'));
  if (map.optional('columns')?.node.kind === 'list' && columns.written === 0) {
    map.optional('columns')!.problem('empty_list', { zh: '至少要映射一列', en: 'at least one column must be mapped' });
  }
  const shared = readShared(map);
  const display = map.optional('display')?.asText(nodeKeys.display) ?? null;
  const write = map.optional('write')?.asOneOf(nodeKeys.write.values) ?? nodeKeys.write.default;
  return { id, label, labels, source, key, display, write, columns: columns.read, ...shared, path: at.path };
}

export function readEdge(at: YamlReader): WrittenEdge | null {
  if (at.node.kind !== 'map') {
    at.wrongType('map');
    return null;
  }
  const map = at.asMap(Object.keys(edgeKeys), sourceSynonyms);
  const type = map.required('type')?.asText(edgeKeys.type) ?? null;
  const source = readSource(at, map);
  const key = map.optional('key')?.asTexts(edgeKeys.key) ?? [];
  const columns = readColumns(map.optional('columns'));
  const from = readEnd(map.required('from'));
  const to = readEnd(map.required('to'));
  const shared = readShared(map);
  return { type, source, key, from, to, columns: columns.read, ...shared, path: at.path };
}

function readHandle(at: YamlReader | null): string | null {
  const id = at?.asText(nodeKeys.id) ?? null;
  if (id === null || /^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return id;
  at!.problem('wrong_type', {
    zh: 'id 由英文字母、数字和下划线组成，且不以数字开头',
    en: 'an id is made of ASCII letters, digits and underscores and does not start with a digit',
  });
  return null;
}

function readLabels(at: YamlReader | null): FurtherLabel[] {
  const items = at?.asList() ?? [];
  if (items.length > maxLabels) {
    at!.problem('wrong_type', {
      zh: `最多另有 ${maxLabels} 个标签，这里有 ${items.length} 个`,
      en: `a node has at most ${maxLabels} further labels, and here are ${items.length}`,
    });
    return [];
  }
  return items.map(readLabel).filter(label => label !== null);
}

function readLabel(at: YamlReader): FurtherLabel | null {
  if (at.node.kind !== 'map') {
    const name = at.asText(furtherLabelKeys.name);
    return name === null ? null : { name, aliases: [], when: null, path: at.path };
  }
  const map = at.asMap(Object.keys(furtherLabelKeys), { label: 'name', where: 'when' });
  const name = map.required('name')?.asText(furtherLabelKeys.name) ?? null;
  const aliases = map.optional('aliases')?.asTexts(furtherLabelKeys.aliases) ?? [];
  const when = map.optional('when')?.asText() ?? null;
  return name === null ? null : { name, aliases, when, path: at.path };
}

function readSource(at: YamlReader, map: MapReader): ElementSource | null {
  // The problem of the unknown key already names the key that was meant, so a missing `table` or `query` is not reported too.
  if (!map.has('table') && !map.has('query') && Object.keys(sourceSynonyms).some(key => map.has(key))) return null;
  if (map.has('table') === map.has('query')) {
    at.problem('missing_key', { zh: '须在 table 与 query 中恰好写一个', en: 'give exactly one of table and query' });
    return null;
  }
  if (map.has('query')) {
    const query = map.required('query')?.asText(nodeKeys.query) ?? null;
    return query === null ? null : { kind: 'query', query };
  }
  const table = map.required('table')?.asText(nodeKeys.table) ?? null;
  return table === null ? null : { kind: 'table', table };
}

function readShared(map: MapReader): Pick<NodeMapping, 'aliases' | 'where' | 'incremental' | 'deletes'> {
  return {
    aliases: map.optional('aliases')?.asTexts(nodeKeys.aliases) ?? [],
    where: map.optional('where')?.asText() ?? null,
    incremental: readIncremental(map.optional('incremental')),
    deletes: readDeletes(map.optional('deletes'), map.optional('incremental') !== null),
  };
}

function readIncremental(at: YamlReader | null): Incremental | null {
  if (!at) return null;
  const map = at.asMap(Object.keys(incrementalKeys));
  const cursor = map.required('cursor')?.asText(incrementalKeys.cursor) ?? null;
  const type = map.required('type')?.asOneOf(incrementalKeys.type.values) ?? null;
  const written = map.optional('lag');
  const initial = map.optional('initial')?.asText(incrementalKeys.initial) ?? null;
  if (cursor === null || type === null) return null;
  const lag = written ? readLag(written, type) : incrementalKeys.lag.default;
  return { cursor, type, lag, initial };
}

function readLag(at: YamlReader, type: Incremental['type']): number {
  if (type === 'int' || type === 'bigint') return at.asWhole() ?? 0;
  const lag = parseDuration(at.asText() ?? '');
  if (lag === null) at.problem('wrong_type', { zh: 'lag 应为时长，如 7d、12h、30m', en: 'lag must be a duration such as 7d, 12h or 30m' });
  return lag ?? 0;
}

/**
 * Reads `deletes`. Without that key an incremental target removes nothing: its runs read only new rows, so they cannot detect which old
 * rows are gone. Other targets remove the elements whose rows are gone.
 */
function readDeletes(at: YamlReader | null, isIncremental: boolean): Deletes {
  const usual: Deletes = { mode: isIncremental ? 'none' : 'snapshot' };
  if (!at) return usual;
  const map = at.asMap(Object.keys(deletesKeys));
  const written = map.required('mode');
  const mode = written?.asOneOf(deletesKeys.mode.values) ?? null;
  if (mode === 'snapshot' && isIncremental) {
    written!.problem('deletes_with_incremental', {
      zh: 'snapshot 须读取全部行，不能与 incremental 并用；请去掉其一，或用 mode: column',
      en: 'snapshot needs every row and cannot stand with incremental; leave one of them out, or use mode: column',
    });
  }
  if (mode !== 'column') return mode === null ? usual : { mode };
  const column = map.required('column')?.asText(deletesKeys.column) ?? null;
  const equals = map.required('equals')?.asWritten() ?? null;
  return column === null || equals === null ? usual : { mode, column, equals };
}

function readColumns(at: YamlReader | null): { read: ColumnMapping[]; written: number } {
  if (at?.node.kind === 'map') {
    const names = [...at.node.entries.keys()].slice(0, shownColumns);
    const items = at.node.entries.has('column') ? '{column: …}' : names.map(name => `{column: ${name.slice(0, 63)}}`).join(', ');
    at.wrongType('list', `columns: [${items}]`);
    return { read: [], written: at.node.entries.size };
  }
  const items = at?.asList() ?? [];
  if (items.length > maxColumns) {
    at!.problem('wrong_type', { zh: `最多 ${maxColumns} 列`, en: `at most ${maxColumns} columns` });
    return { read: [], written: items.length };
  }
  return { read: items.map(readColumn).filter(column => column !== null), written: items.length };
}

function readEnd(at: YamlReader | null): WrittenEnd | null {
  if (!at) return null;
  if (at.node.kind === 'scalar') {
    at.wrongType('map', `{node: ${at.node.written.slice(0, 100)}, match: {…: …}}`);
    return null;
  }
  const map = at.asMap(Object.keys(endKeys));
  const node = map.required('node')?.asText(endKeys.node) ?? null;
  const match: EdgeEnd['match'] = [];
  const written = map.required('match');
  for (const [edgeColumn, { value }] of written?.asEntries() ?? []) {
    const nodeColumn = written!.child(value, edgeColumn).asText(nodeKeys.key);
    if (nodeColumn !== null) match.push({ edgeColumn, nodeColumn });
  }
  const { values, default: usual } = endKeys.on_missing;
  const onMissing = map.optional('on_missing')?.asOneOf(values) ?? usual;
  if (node === null) return null;
  return { ...nodeNamed(node), match, onMissing, path: at.path };
}
