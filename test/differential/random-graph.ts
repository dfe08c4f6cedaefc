import { type Dice } from '../support/dice.js';
import { type TestApp } from '../support/app.js';
import { ingest, upload } from '../support/ingestion.js';
import { Day, Dec, type Element, type Value } from './naive-values.js';

export const texts = ['甲', '乙方', 'a', 'B', 'ab', 'é', '😀x', 'x', 'Zürich', '2024-01-01', '10', 'ab%_', "o'k"];
const integers = ['-3', '-1', '0', '1', '2', '7', '100'];
const bigs = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '9007199254740992', '0', '5', '-5'];
const decimals = ['0.10', '0.30', '-2.50', '19.90', '0.00', '9007199254740993.25', '3.00'];
const floats = ['0.1', '0.30000000000000004', '-2.5', '1e300', '3', '0', '-0.0', '1e-300', '9007199254740993'];
const days = ['2024-02-29', '2024-03-01', '1999-12-31', '0999-01-01'];
const lists = [['a'], ['a', 'b'], ['甲'], ['b']];
const jsons = ['1', '1.0', '"a"', '[1, "a", null]', '{"x": 1}', 'true', '[]', '0.10'];

/** A column of a node or edge table: the type in the mapping, the possible cells, and the function from a cell to its value. */
interface Column {
  name: string;
  type: string;
  cells: string[];
  read: (cell: string) => Value;
}

const column = (name: string, type: string, cells: string[], read: Column['read']): Column => ({ name, type, cells, read });
/** A graph stores zero without a sign, so adding 0 turns -0 into 0. */
const float = (cell: string): Value => Number(cell) + 0;

export const columns: Record<'A' | 'B' | 'R' | 'S' | 'T', Column[]> = {
  A: [
    column('s', 'string', texts, cell => cell),
    column('i', 'int', integers, BigInt),
    column('big', 'bigint', bigs, BigInt),
    column('d', 'decimal(20,2)', decimals, cell => Dec.of(cell)),
    column('f', 'float', floats, float),
    column('t', 'boolean', ['true', 'false'], cell => cell === 'true'),
    column('day', 'date', days, cell => new Day(cell)),
    column('l', 'string[]', lists.map(list => JSON.stringify(list)), cell => JSON.parse(cell)), // prettier-ignore
    column('j', 'json', jsons, cell => readJson(cell)),
    column('m', 'int', integers, BigInt),
  ],
  B: [
    column('s', 'string', texts, cell => cell),
    column('i', 'int', integers, BigInt),
    column('d', 'decimal(20,2)', decimals, cell => Dec.of(cell)),
    column('m', 'string', texts, cell => cell),
  ],
  R: [column('w', 'int', integers, BigInt), column('f', 'float', floats, float)],
  S: [column('w', 'int', integers, BigInt), column('s', 'string', texts, cell => cell)],
  T: [],
};

/** Reads JSON with the types of a graph: 1 is an integer, and 1.0 is a decimal. */
function readJson(text: string): Value {
  if (/^-?\d+$/.test(text)) return BigInt(text);
  if (/^-?\d+\.\d+$/.test(text)) return Dec.of(text);
  const convert = (value: unknown): Value => {
    if (typeof value === 'number') return BigInt(value);
    if (Array.isArray(value)) return value.map(convert);
    return value !== null && typeof value === 'object'
      ? new Map(Object.entries(value).map(([name, inner]) => [name, convert(inner)]))
      : (value as Value);
  };
  return convert(JSON.parse(text));
}

/** Whether a node has the further label F. */
export function hasFurtherLabel({ properties }: Element): boolean {
  const value = properties.get('i');
  return typeof value === 'bigint' && value > 0n;
}

export const ends = { R: ['A', 'B'], S: ['A', 'A'], T: ['B', 'A'] } as const;

export interface RandomGraph {
  graphId: number;
  nodes: Element[];
  edges: Element[];
}

/** Makes a graph with missing values, and loads it like a user, with tables and a mapping. */
export async function randomGraph(app: TestApp, dice: Dice, prefix: string): Promise<RandomGraph> {
  const nodes: Element[] = [];
  const edges: Element[] = [];
  const tables: Record<string, string[]> = {};
  const add = (kind: Element['kind'], name: keyof typeof columns, number: number, more: Partial<Element>, cells: [string, string][]) => {
    const key = name === 'B' ? `b${number}` : String(number);
    const properties = new Map<string, Value>([['id', name === 'B' ? key : BigInt(number)]]);
    const row = [...cells, ['id', key] as [string, string]];
    for (const { name: property, cells: choices, read } of columns[name]) {
      const cell = dice.chance(0.25) ? null : dice.of(choices);
      row.push([property, cell === null ? '' : `"${cell.replaceAll('"', '""')}"`]);
      if (cell !== null) properties.set(property, read(cell));
    }
    (tables[name] ??= [row.map(([column]) => column).join()]).push(row.map(([, cell]) => cell).join());
    (kind === 'node' ? nodes : edges).push({ kind, name, key, properties, ...more });
  };
  for (let i = 1; i <= dice.between(4, 8); i++) add('node', 'A', i, {}, []);
  for (let i = 1; i <= dice.between(3, 6); i++) add('node', 'B', i, {}, []);
  for (const type of ['R', 'S', 'T'] as const) {
    const [from, to] = ends[type];
    for (let i = 1; i <= dice.between(4, 9); i++) {
      const [source, target] = [from, to].map(label => dice.of(nodes.filter(({ name }) => name === label))) as [Element, Element];
      add('edge', type, i, { from: source, to: target }, [['source', source.key], ['target', target.key]]); // prettier-ignore
    }
  }
  for (const [name, lines] of Object.entries(tables)) {
    const types = lines[0]!.split(',').map(each => `${each}:text`).join(); // prettier-ignore
    await upload(app, `${prefix}${name.toLowerCase()}`, lines.join('\n'), types);
  }
  const mapping = mappingOf(prefix);
  const { graphId, run } = await ingest(app, mapping);
  if (run.status !== 'succeeded' || run.report.targets.some((target: any) => target.rejected > 0))
    throw new Error(JSON.stringify(run.report, null, 1));
  return { graphId, nodes, edges };
}

function mappingOf(prefix: string): string {
  const mapped = (name: keyof typeof columns, id: string) =>
    [{ name: 'id', type: id }, ...columns[name]].map(each => `{column: ${each.name}, property: ${each.name}, type: '${each.type}'}`).join(', '); // prettier-ignore
  const node = (name: 'A' | 'B') =>
    `  - {id: ${name.toLowerCase()}, label: ${name}, table: ${prefix}${name.toLowerCase()}, key: [id], labels: [{name: F, when: "i IN ('1', '2', '7', '100')"}], columns: [${mapped(name, name === 'A' ? 'int' : 'string')}]}`;
  const edge = (type: 'R' | 'S' | 'T') => {
    const [from, to] = ends[type];
    return `  - {type: ${type}, table: ${prefix}${type.toLowerCase()}, key: [id], from: {node: ${from.toLowerCase()}, match: {source: id}}, to: {node: ${to.toLowerCase()}, match: {target: id}}, columns: [${mapped(type, 'int')}]}`;
  };
  return `version: 1\nnodes:\n${node('A')}\n${node('B')}\nedges:\n${edge('R')}\n${edge('S')}\n${edge('T')}\n`;
}
