import { problemsOf } from '../../../test/support/mapping-problems.js';
import { type Mapping, pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';

const base = `version: 1
nodes:
  - {id: a, label: A, table: t, key: [k], columns: [{column: k}, {column: c}]}
edges:
  - {type: e, table: t, from: {node: a, match: {x: k}}, to: {node: a, match: {y: k}}}
`;

type Edit = [before: string, after: string];
const root = (text: string): Edit => ['version: 1\n', `version: 1\n${text}\n`];
const node = (text: string): Edit => ['{column: c}]}', `{column: c}], ${text}}`];
const column = (text: string): Edit => ['{column: c}', `{column: c, ${text}}`];
const edge = (text: string): Edit => ['match: {y: k}}}', `match: {y: k}}, ${text}}`];
const to = (text: string): Edit => ['match: {y: k}', `match: {y: k}, ${text}`];
const same: Edit = ['version', 'version'];

function textOf([before, after]: Edit): string {
  expect(base).toContain(before);
  return base.replace(before, () => after);
}

const firstNode = ({ nodes }: Mapping) => nodes[0]!;
const firstEdge = ({ edges }: Mapping) => edges[0]!;
const secondColumn = (mapping: Mapping) => firstNode(mapping).columns[1]!;

type Row = [field: string, accepted: Edit, read: (mapping: Mapping) => unknown, value: unknown, refused: Edit, problem: string];

/**
 * Each field of the mapping language: an accepted text with the value that is read, and a refused text with the code and path of the
 * problem.
 */
const rows: Row[] = [
  ['version', same, ({ nodes }) => nodes.length, 1, ['version: 1', 'version: "1"'], 'unsupported_version version'],
  ['name', root('name: 图'), ({ name }) => name, '图', root('name: []'), 'wrong_type name'],
  ['source.connection', root('source: {connection: dw}'), m => m.source.connection, 'dw', root('source: {connection: {}}'), 'wrong_type source.connection'],
  ['source.timezone', root('source: {timezone: Asia/Shanghai}'), m => m.source.timezone, 'Asia/Shanghai', root('source: {timezone: Mars/Base}'), 'wrong_type source.timezone'],
  ['source.statement_timeout', root('source: {statement_timeout: 2m}'), m => m.source.statementTimeoutMs, 120_000, root('source: {statement_timeout: soon}'), 'wrong_type source.statement_timeout'],
  ['defaults.on_error', root('defaults: {on_error: quarantine}'), m => m.defaults.onError, 'quarantine', root('defaults: {on_error: skip}'), 'wrong_type defaults.on_error'],
  ['defaults.max_error_rows', root('defaults: {max_error_rows: 0}'), m => m.defaults.maxErrorRows, 0, root('defaults: {max_error_rows: -1}'), 'wrong_type defaults.max_error_rows'],
  ['defaults.max_error_rate', root('defaults: {max_error_rate: 1}'), m => m.defaults.maxErrorRate, 1, root('defaults: {max_error_rate: 1.5}'), 'wrong_type defaults.max_error_rate'],
  ['defaults.empty_as_null', root('defaults: {empty_as_null: false}'), m => m.defaults.emptyAsNull, false, root('defaults: {empty_as_null: no}'), 'wrong_type defaults.empty_as_null'],
  ['defaults.trim', root('defaults: {trim: true}'), m => m.defaults.trim, true, root('defaults: {trim: 1}'), 'wrong_type defaults.trim'],
  ['nodes[].id', same, m => firstNode(m).id, 'a', ['id: a,', 'id: 1a,'], 'wrong_type nodes[0].id'],
  ['nodes[].label', ['label: A', 'label: 客户'], m => firstNode(m).label, '客户', ['label: A', `label: ${'长'.repeat(129)}`], 'wrong_type nodes[0].label'],
  ['nodes[].labels', node('labels: [甲, {name: 乙, aliases: [Z], when: c > 1}]'), m => firstNode(m).labels.map(({ path: _, ...label }) => label), [{ name: '甲', aliases: [], when: null }, { name: '乙', aliases: ['Z'], when: 'c > 1' }], node('labels: [甲, A]'), 'duplicate_label nodes[0].labels[1]'],
  ['nodes[].aliases', node('aliases: [甲, 乙]'), m => firstNode(m).aliases, ['甲', '乙'], node('aliases: 甲'), 'wrong_type nodes[0].aliases'],
  ['nodes[].table', same, m => firstNode(m).source, { kind: 'table', table: 't' }, node('query: SELECT 1'), 'missing_key nodes[0]'],
  ['nodes[].query', ['table: t, key', 'query: SELECT k FROM t, key'], m => firstNode(m).source, { kind: 'query', query: 'SELECT k FROM t' }, ['table: t, key', 'key'], 'missing_key nodes[0]'],
  ['nodes[].where', node('where: c > 1'), m => firstNode(m).where, 'c > 1', node('where: [c]'), 'wrong_type nodes[0].where'],
  ['nodes[].key', same, m => firstNode(m).key, ['k'], ['{column: k}, ', ''], 'key_not_mapped nodes[0].key[0]'],
  ['nodes[].display', node('display: c'), m => firstNode(m).display, 'c', node('display: d'), 'key_not_mapped nodes[0].display'],
  ['nodes[].incremental', node('incremental: {cursor: u, type: date, lag: 7d, initial: 2024-01-01}'), m => firstNode(m).incremental, { cursor: 'u', type: 'date', lag: 604_800_000, initial: '2024-01-01' }, node('incremental: {cursor: u, type: string}'), 'wrong_type nodes[0].incremental.type'],
  // The default is snapshot, see decision 0024.
  ['nodes[].deletes, none', same, m => firstNode(m).deletes, { mode: 'snapshot' }, node('deletes: {mode: all}'), 'wrong_type nodes[0].deletes.mode'],
  ['nodes[].deletes', node('deletes: {mode: column, column: d, equals: 1}'), m => firstNode(m).deletes, { mode: 'column', column: 'd', equals: '1' }, node('deletes: {mode: column, column: d}'), 'missing_key nodes[0].deletes'],
  ['nodes[].deletes with incremental', node('incremental: {cursor: u, type: int}'), m => firstNode(m).deletes, { mode: 'none' }, node('incremental: {cursor: u, type: int}, deletes: {mode: snapshot}'), 'deletes_with_incremental nodes[0].deletes.mode'],
  ['nodes[].write', node('write: replace'), m => firstNode(m).write, 'replace', node('write: append'), 'wrong_type nodes[0].write'],
  ['nodes[].columns', same, m => firstNode(m).columns.length, 2, ['columns: [{column: k}, {column: c}]', 'columns: []'], 'empty_list nodes[0].columns'],
  ['edges[].type', ['type: e', 'type: 下单'], m => firstEdge(m).type, '下单', ['{type: e, ', '{'], 'missing_key edges[0]'],
  ['edges[].key', edge('key: [n]'), m => firstEdge(m).key, ['n'], edge('key: n'), 'wrong_type edges[0].key'],
  ['edges[].key, none', same, m => firstEdge(m).key, [], edge('keys: [n]'), 'unknown_key edges[0].keys'],
  ['edges[].columns', edge('columns: [{column: n}]'), m => firstEdge(m).columns[0]!.property, 'n', edge('columns: n'), 'wrong_type edges[0].columns'],
  ['edges[].from', same, m => firstEdge(m).from.label, 'A', ['from: {node: a, match: {x: k}}, ', ''], 'missing_key edges[0]'],
  ['edges[].to.node, a label', ['to: {node: a', "to: {node: 'label:客户'"], m => firstEdge(m).to.label, '客户', ['to: {node: a', 'to: {node: b'], 'unknown_node_ref edges[0].to.node'],
  ['edges[].to.match', ['{y: k}', '{z: k}'], m => firstEdge(m).to.match, [{ edgeColumn: 'z', nodeColumn: 'k' }], ['{y: k}', '{y: c}'], 'match_incomplete edges[0].to.match'],
  ...['quarantine', 'skip', 'create', 'fail'].map((word): Row => [`edges[].to.on_missing, ${word}`, to(`on_missing: ${word}`), m => firstEdge(m).to.onMissing, word, to(`on_missing: ${word}s`), 'wrong_type edges[0].to.on_missing']),
  ['columns[].column', same, m => secondColumn(m).source, { kind: 'column', column: 'c' }, column('constant: 1'), 'missing_key nodes[0].columns[1]'],
  ['columns[].expression', ['{column: c}', '{expression: k + 1, property: p}'], m => secondColumn(m).source, { kind: 'expression', expression: 'k + 1' }, ['{column: c}', '{expression: k + 1}'], 'missing_key nodes[0].columns[1]'],
  ['columns[].constant', ['{column: c}', '{constant: 1, property: p}'], m => secondColumn(m).source, { kind: 'constant', value: '1', type: 'int' }, ['{column: c}', '{constant: [1], property: p}'], 'wrong_type nodes[0].columns[1].constant'],
  ['columns[].property', column('property: 名称'), m => secondColumn(m).property, '名称', column('property: k'), 'duplicate_property nodes[0].columns[1].property'],
  ['columns[].property, reserved', same, m => secondColumn(m).property, 'c', column('property: _id'), 'reserved_property nodes[0].columns[1].property'],
  ...['string', 'int', 'bigint', 'float', 'boolean', 'date', 'time', 'timetz', 'datetime', 'localdatetime', 'duration', 'json', 'map', 'string[]', 'int[]', 'date[]', 'duration[]'].map((name): Row => [`columns[].type, ${name}`, column(`type: '${name}'`), m => secondColumn(m).type, { name }, column(`type: '${name}x'`), 'unknown_type nodes[0].columns[1].type']),
  ['columns[].type, decimal', column("type: 'decimal(12,2)'"), m => secondColumn(m).type, { name: 'decimal', precision: 12, scale: 2 }, column("type: 'decimal(2,12)'"), 'unknown_type nodes[0].columns[1].type'],
  ['columns[].type, decimal list', column("type: 'decimal(12,2)[]'"), m => secondColumn(m).type, { name: 'decimal[]', precision: 12, scale: 2 }, column("type: 'decimal[]'"), 'unknown_type nodes[0].columns[1].type'],
  ...['trim', 'lower', 'upper', 'nfc', 'nfkc', 'collapse_space', 'number_cn'].map((kind): Row => [`columns[].transform, ${kind}`, column(`transform: [${kind}]`), m => secondColumn(m).transform, [{ kind }], column(`transform: [{${kind}: 1}]`), `bad_rule_argument nodes[0].columns[1].transform[0].${kind}`]),
  ['columns[].transform, null_if', column("transform: [{null_if: ['-']}]"), m => secondColumn(m).transform, [{ kind: 'null_if', values: ['-'] }], column('transform: [null_if]'), 'bad_rule_argument nodes[0].columns[1].transform[0]'],
  ['columns[].transform, map', column('transform: [{map: {A: 甲}}]'), m => ({ ...(secondColumn(m).transform[0] as { values: object }).values }), { A: '甲' }, column('transform: [map]'), 'bad_rule_argument nodes[0].columns[1].transform[0]'],
  ['columns[].transform, split', column("transform: [{split: ','}]"), m => [secondColumn(m).transform, secondColumn(m).type], [[{ kind: 'split', separator: ',' }], { name: 'string[]' }], column("transform: [{split: ','}, trim]"), 'bad_rule_argument nodes[0].columns[1].transform[0]'],
  ['columns[].transform, substring', column('transform: [{substring: [2, 3]}]'), m => secondColumn(m).transform, [{ kind: 'substring', start: 2, length: 3 }], column('transform: [{substring: [0, 3]}]'), 'wrong_type nodes[0].columns[1].transform[0].substring[0]'],
  ['columns[].transform, date_format', column('transform: [{date_format: dd/MM/yyyy}]'), m => secondColumn(m).type, { name: 'date' }, column('transform: [{date_format: DD.MM.YY}]'), 'bad_rule_argument nodes[0].columns[1].transform[0].date_format'],
  ['columns[].default', column('default: x'), m => secondColumn(m).default, 'x', column('default: [x]'), 'wrong_type nodes[0].columns[1].default'],
  ['columns[].rules', column('rules: [required, {unique: true, severity: warn, message: 重复}]'), m => secondColumn(m).rules.map(({ kind, severity, message }) => [kind, severity, message]), [['required', 'error', null], ['unique', 'warn', '重复']], column('rules: [{unique: true, severity: info}]'), 'wrong_type nodes[0].columns[1].rules[0].severity'],
  ['columns[].sensitive', column('sensitive: true'), m => secondColumn(m).sensitive, true, column('sensitive: secret'), 'wrong_type nodes[0].columns[1].sensitive'],
  // `batch_size` is accepted but has no effect, see decision 0033.
  ['batch_size', root('batch_size: 500'), ({ nodes }) => nodes.length, 1, root('batch_size: 0'), 'wrong_type batch_size'],
]; // prettier-ignore

describe('the fields of a mapping', () => {
  it.each(rows)('%s', (_field, accepted, read, value, refused, problem) => {
    expect(read(parseMapping(textOf(accepted)).mapping)).toEqual(value);
    expect(problemsOf(textOf(refused)).map(({ type, path }) => `${type} ${pathText(path)}`)).toEqual([problem]);
  });
});
