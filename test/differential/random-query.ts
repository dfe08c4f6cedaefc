import { type Dice } from '../support/dice.js';
import { all, calculate, compareForOrder, Day, type Element, equal, fitting, isNumber, keyOf, less, NaiveError, not, or, shown, type Value } from './naive-values.js'; // prettier-ignore
import { ends, hasFurtherLabel, type RandomGraph, texts } from './random-graph.js';

type Row = ReadonlyMap<string, Value>;

/** An expression as Cypher and as a function. */
interface Expression {
  text: string;
  run: (row: Row) => Value;
}

type Kind = 'string' | 'integer' | 'float' | 'decimal' | 'boolean' | 'day' | 'list' | 'any';

export interface RandomQuery {
  text: string;
  parameters: Record<string, Value>;
  /** Rows in order where the query orders them, and the elements that they rest on. @throws NaiveError */
  evaluate(graph: RandomGraph): { rows: unknown[][]; cited: Set<string>; isOrdered: boolean; isGrouped: boolean };
}

const propertyKinds: Record<string, Partial<Record<string, Kind>>> = {
  A: { id: 'integer', s: 'string', i: 'integer', big: 'integer', d: 'decimal', f: 'float', t: 'boolean', day: 'day', l: 'list', j: 'any', m: 'integer' }, // prettier-ignore
  B: { id: 'string', s: 'string', i: 'integer', d: 'decimal', m: 'string' },
  R: { id: 'integer', w: 'integer', f: 'float' },
  S: { id: 'integer', w: 'integer', s: 'string' },
  T: { id: 'integer' },
};

interface Bound {
  name: string;
  kind: 'node' | 'edge';
  /** The labels or types that it may have. */
  names: string[];
}

/** Makes queries with the parts of Cypher that both executors know, and some that only memory does. */
export class QueryMaker {
  private parameters: Record<string, Value> = {};
  private bound: Bound[] = [];

  constructor(private readonly dice: Dice) {}

  make(): RandomQuery {
    this.parameters = {};
    this.bound = [];
    const { dice } = this;
    const clauses = [this.match(false)];
    if (dice.chance(0.2)) clauses.push(this.match(dice.chance(0.5)));
    const { parameters } = this;
    const tail = dice.chance(0.4) ? this.grouped() : this.flat();
    const text = [...clauses.map(clause => clause.text), tail.text].join(' ');
    return {
      text,
      parameters,
      evaluate: graph => {
        let rows: Row[] = [new Map()];
        for (const clause of clauses) rows = rows.flatMap(row => clause.run(row, graph));
        const cited = new Set(rows.flatMap(row => [...row.values()].flatMap(value => (isElement(value) ? [keyOf(value)] : []))));
        return { ...tail.run(rows), cited, isGrouped: tail.isGrouped };
      },
    };
  }

  /** A pattern of one or two paths, by nested loops over all nodes and edges. */
  private match(optional: boolean): { text: string; run: (row: Row, graph: RandomGraph) => Row[] } {
    const { dice } = this;
    const steps: ((row: Row, graph: RandomGraph, used: Element[]) => { row: Row; used: Element[] }[])[] = [];
    const before = new Set(this.bound.map(({ name }) => name));
    const paths = Array.from({ length: dice.chance(0.15) ? 2 : 1 }, () => {
      let from = this.node(steps);
      let text = from.text;
      for (let hop = dice.of([0, 0, 1, 1, 1, 2, 3]); hop > 0; hop--) {
        const direction = dice.of(['out', 'out', 'in', 'both'] as const);
        const { names } = this.bound.find(({ name }) => name === from.name)!;
        // Few random types and labels fit to each other, so most are chosen to.
        const fitting = waysFrom(names, direction);
        const way = dice.chance(0.85) && fitting.length > 0 ? dice.of(fitting) : null;
        const types = dice.chance(0.3) ? [] : [way?.type ?? dice.of(['R', 'S', 'T'])];
        const name = this.bind('edge', types);
        const to = this.node(steps, { from: from.name, edge: name, types, direction }, way?.to);
        const bracket = `-[${name}${types.length > 0 ? `:${types.join('|')}` : ''}]-`;
        text += `${direction === 'in' ? '<' : ''}${bracket}${direction === 'out' ? '>' : ''}${to.text}`;
        from = to;
      }
      return text;
    });
    const where = dice.chance(0.65) ? this.where() : null;
    const own = this.bound.map(({ name }) => name).filter(name => !before.has(name));
    return {
      text: `${optional ? 'OPTIONAL ' : ''}MATCH ${paths.join(', ')}${where ? ` WHERE ${where.text}` : ''}`,
      run: (row, graph) => {
        let found = [{ row, used: [] as Element[] }];
        for (const step of steps) found = found.flatMap(each => step(each.row, graph, each.used));
        const kept = found.map(each => each.row).filter(each => !where || where.run(each) === true);
        return kept.length > 0 || !optional ? kept : [new Map([...row, ...own.map(name => [name, null] as const)])];
      },
    };
  }

  private bind(kind: Bound['kind'], names: string[]): string {
    const name = `${kind === 'node' ? 'n' : 'r'}${this.bound.length}`;
    this.bound.push({ name, kind, names: names.length > 0 ? names : kind === 'node' ? ['A', 'B'] : ['R', 'S', 'T'] });
    return name;
  }

  private node(
    steps: ((row: Row, graph: RandomGraph, used: Element[]) => { row: Row; used: Element[] }[])[],
    over?: { from: string; edge: string; types: string[]; direction: 'out' | 'in' | 'both' },
    wanted = this.dice.of(['A', 'A', 'B']),
  ): { name: string; text: string } {
    const { dice } = this;
    const nodes = this.bound.filter(({ kind }) => kind === 'node');
    const again = nodes.length > 0 && dice.chance(0.12) ? dice.of(nodes).name : null;
    const labels = again === null && dice.chance(0.7) ? [wanted] : [];
    const isFurther = dice.chance(0.05);
    const name = again ?? this.bind('node', labels);
    const allows = (element: Element, row: Row): boolean =>
      (labels.length === 0 || labels.includes(element.name)) &&
      (!isFurther || hasFurtherLabel(element)) &&
      (row.get(name) === undefined || row.get(name) === element);
    steps.push((row, graph, used) => {
      if (row.get(name) === null) return [];
      if (!over) return graph.nodes.filter(node => allows(node, row)).map(node => ({ row: new Map([...row, [name, node]]), used }));
      const start = row.get(over.from) as Element;
      const found: { row: Row; used: Element[] }[] = [];
      for (const edge of graph.edges) {
        if (used.includes(edge) || (over.types.length > 0 && !over.types.includes(edge.name))) continue;
        const others = new Set<Element>();
        if (over.direction !== 'in' && edge.from === start) others.add(edge.to!);
        if (over.direction !== 'out' && edge.to === start) others.add(edge.from!);
        for (const other of others)
          if (allows(other, row)) found.push({ row: new Map([...row, [over.edge, edge], [name, other]]), used: [...used, edge] });
      }
      return found;
    });
    return { name, text: `(${name}${[...labels, ...(isFurther ? ['F'] : [])].map(label => `:${label}`).join('')})` };
  }

  /** Conditions that cannot fail, or a single one that can. */
  private where(): Expression {
    return this.dice.chance(0.1) ? this.comparison(this.number(2), this.number(1)) : this.condition(2);
  }

  private condition(depth: number): Expression {
    const { dice } = this;
    if (depth > 0 && dice.chance(0.45)) {
      const [a, b] = [this.condition(depth - 1), this.condition(depth - 1)];
      const pair = (row: Row) => [a.run(row), b.run(row)] as (boolean | null)[];
      switch (dice.of(['AND', 'OR', 'NOT', 'XOR'])) {
        case 'AND':
          return { text: `(${a.text} AND ${b.text})`, run: row => all(pair(row)) };
        case 'OR':
          return { text: `(${a.text} OR ${b.text})`, run: row => or(pair(row)) };
        case 'XOR':
          return { text: `(${a.text} XOR ${b.text})`, run: row => (pair(row).includes(null) ? null : pair(row)[0] !== pair(row)[1]) };
        default:
          return { text: `NOT (${a.text})`, run: row => not(a.run(row) as boolean | null) };
      }
    }
    switch (dice.of(['compare', 'compare', 'compare', 'null', 'in', 'text', 'label', 'boolean'])) {
      case 'null': {
        const [value, isNegated] = [this.property('any'), dice.chance(0.5)];
        return { text: `${value.text} IS ${isNegated ? 'NOT ' : ''}NULL`, run: row => (value.run(row) === null) !== isNegated };
      }
      case 'in': {
        const kind = dice.of(['string', 'integer', 'float', 'decimal', 'day'] as const);
        const [item, list] = [this.property(kind), this.constantList(kind)];
        return { text: `${item.text} IN ${list.text}`, run: row => or((list.run(row) as Value[]).map(each => equal(item.run(row), each))) };
      }
      case 'text': {
        const [left, right] = [this.property('string'), dice.chance(0.7) ? this.constant('string') : this.property('string')];
        const word = dice.of(['STARTS WITH', 'ENDS WITH', 'CONTAINS']);
        const test = { 'STARTS WITH': 'startsWith', 'ENDS WITH': 'endsWith', CONTAINS: 'includes' }[word] as 'includes';
        return {
          text: `${left.text} ${word} ${right.text}`,
          run: row => {
            const [a, b] = [left.run(row), right.run(row)];
            return typeof a === 'string' && typeof b === 'string' ? a[test](b) : null;
          },
        };
      }
      case 'label': {
        const nodes = this.bound.filter(({ kind }) => kind === 'node');
        const [{ name }, label] = [dice.of(nodes), dice.of(['A', 'B', 'F'])];
        return { text: `${name}:${label}`, run: row => (row.get(name) == null ? null : hasLabel(row.get(name) as Element, label)) };
      }
      case 'boolean':
        return this.property('boolean');
      default: {
        const kind = dice.of(['string', 'integer', 'float', 'decimal', 'day', 'boolean', 'list', 'any'] as const);
        const left = kind === 'any' ? this.mixed() : this.property(kind);
        // A text beside a day is read as one, and an error if it is none.
        const others = kind === 'day' ? (['integer', 'float', 'list'] as const) : (['string', 'integer', 'float', 'list'] as const);
        const other = dice.chance(0.15) ? dice.of(others) : kind;
        return this.comparison(left, dice.chance(0.6) ? this.constant(other) : other === 'any' ? this.mixed() : this.property(other));
      }
    }
  }

  private comparison(left: Expression, right: Expression): Expression {
    const operator = this.dice.of(['=', '<>', '<', '<=', '>', '>=']);
    return {
      text: `${left.text} ${operator} ${right.text}`,
      run: row => {
        const [a, b] = [left.run(row), right.run(row)];
        if (operator === '=' || operator === '<>') return operator === '=' ? equal(a, b) : not(equal(a, b));
        const [x, y] = operator.startsWith('<') ? [a, b] : [b, a];
        if (operator.length === 1) return less(x, y);
        // NaN is neither smaller nor equal nor greater.
        return isNumber(x) && isNumber(y) && [x, y].some(value => Number.isNaN(value)) ? false : not(less(y, x));
      },
    };
  }

  /** A number that may be an error. */
  private number(depth: number): Expression {
    const { dice } = this;
    if (depth === 0 || dice.chance(0.3)) {
      const kind = dice.of(['integer', 'integer', 'float', 'decimal'] as const);
      return dice.chance(0.6) ? this.property(kind) : this.constant(kind);
    }
    const [a, b] = [this.number(depth - 1), this.number(depth - 1)];
    const operator = dice.of(['+', '-', '*', '/', '%']);
    const isOfDecimals = (expression: Expression) => /\.d\b|decimal/.test(expression.text);
    const usable = ['/', '%'].includes(operator) && (isOfDecimals(a) || isOfDecimals(b)) ? '+' : operator;
    return { text: `(${a.text} ${usable} ${b.text})`, run: row => calculate(usable, a.run(row), b.run(row)) };
  }

  /** A property of the kind, where one of the bound elements has one; else one that none has. */
  private property(kind: Kind): Expression {
    const choices = this.bound.flatMap(({ name, names }) =>
      names.flatMap(owner =>
        Object.keys(propertyKinds[owner]!)
          .filter(property => kind === 'any' || names.every(each => (propertyKinds[each]![property] ?? kind) === kind))
          .filter(property => kind === 'any' || propertyKinds[owner]![property] === kind)
          .map(property => ({ name, property })),
      ),
    );
    const { name, property } = choices.length > 0 ? this.dice.of(choices) : { name: this.dice.of(this.bound).name, property: 'none' };
    return { text: `${name}.${property}`, run: row => propertyOf(row.get(name), property) };
  }

  /** A property that may be of any kind but a day. */
  private mixed(): Expression {
    const { name } = this.dice.of(this.bound);
    const property = this.dice.of(['j', 'm', 's', 'id', 'none']);
    return { text: `${name}.${property}`, run: row => propertyOf(row.get(name), property) };
  }

  private constant(kind: Kind): Expression {
    const { dice } = this;
    const as = (text: string, value: Value): Expression => {
      if (kind === 'day' || !dice.chance(0.3)) return { text, run: () => value };
      const name = `p${Object.keys(this.parameters).length}`;
      this.parameters[name] = value;
      return { text: `$${name}`, run: () => value };
    };
    switch (kind) {
      case 'string': {
        const text = dice.of(texts);
        return as(`'${text.replaceAll("'", "\\'")}'`, text);
      }
      case 'integer': {
        const value = dice.of([0n, 1n, 2n, -3n, 10n, 9223372036854775807n, 9007199254740993n]);
        return as(String(value), value);
      }
      case 'decimal':
      case 'float': {
        const value = dice.of([0.1, 0.30000000000000004, -2.5, 1.0, 0, 1e300, 19.9]);
        return as(/[.e]/.test(String(value)) ? String(value) : `${value}.0`, value);
      }
      case 'boolean': {
        const value = dice.chance(0.5);
        return as(String(value), value);
      }
      case 'day': {
        const text = dice.of(['2024-02-29', '2024-03-01', '0999-01-01']);
        return dice.chance(0.5) ? as(`date('${text}')`, new Day(text)) : as(`'${text}'`, text);
      }
      case 'list':
        return this.constantList(dice.of(['string', 'integer']));
      case 'any':
        return this.constant(dice.of(['string', 'integer', 'float', 'boolean', 'list']));
    }
  }

  private constantList(kind: 'string' | 'integer' | 'float' | 'decimal' | 'day'): Expression {
    const items = this.dice.many(3, () => this.constant(kind));
    if (this.dice.chance(0.15)) items.push({ text: 'null', run: () => null });
    return { text: `[${items.map(({ text }) => text).join(', ')}]`, run: row => items.map(item => item.run(row)) };
  }

  private flat(): Tail {
    const { dice } = this;
    const columns = Array.from({ length: dice.between(1, 3) }, () => this.shownValue());
    const sorting = dice.chance(0.5) ? this.unique() : [];
    const [skip, limit] = sorting.length > 0 && dice.chance(0.4) ? [dice.of([null, 0, 2]), dice.of([null, 1, 3])] : [null, null];
    return {
      text: `RETURN ${named(columns)}${ordering(sorting)}${page(skip, limit)}`,
      isGrouped: false,
      run: rows => {
        const made = rows.map(row => ({ values: columns.map(column => column.run(row)), keys: sorting.map(({ key }) => key.run(row)) }));
        return { rows: paged(sorted(made, sorting), skip, limit), isOrdered: sorting.length > 0 };
      },
    };
  }

  private grouped(): Tail {
    const { dice } = this;
    const isDistinct = dice.chance(0.25);
    const keys = Array.from({ length: dice.of([0, 1, 1, 2]) }, () => this.groupKey());
    if (isDistinct && keys.length === 0) keys.push(this.groupKey());
    const aggregates = isDistinct ? [] : Array.from({ length: dice.between(1, 2) }, () => this.aggregate());
    const sorting = dice.chance(0.5) ? keys.map(key => ({ key, isDescending: dice.chance(0.4) })) : [];
    const [skip, limit] = sorting.length > 0 && dice.chance(0.4) ? [dice.of([null, 1]), dice.of([null, 2])] : [null, null];
    const names = sorting.map(({ isDescending }, i) => ({ key: { text: `c${i}` } as Expression, isDescending }));
    return {
      text: `RETURN ${isDistinct ? 'DISTINCT ' : ''}${named([...keys, ...aggregates])}${ordering(names)}${page(skip, limit)}`,
      isGrouped: true,
      run: rows => {
        const groups = new Map<string, { keys: Value[]; rows: Row[] }>();
        if (keys.length === 0) groups.set('', { keys: [], rows: [] });
        for (const row of rows) {
          const values = keys.map(key => key.run(row));
          const name = values.map(keyOf).join('\n');
          if (!groups.has(name)) groups.set(name, { keys: values, rows: [] });
          groups.get(name)!.rows.push(row);
        }
        const made = [...groups.values()].map(group => ({
          values: [...group.keys, ...aggregates.map(aggregate => aggregate.of(group.rows))],
          keys: group.keys,
        }));
        return { rows: paged(sorted(made, sorting), skip, limit), isOrdered: sorting.length > 0 };
      },
    };
  }

  private shownValue(): Expression {
    const { dice } = this;
    const element = (): Expression => {
      const { name } = dice.of(this.bound);
      return { text: name, run: row => row.get(name) ?? null };
    };
    switch (
      dice.of(['property', 'property', 'element', 'number', 'condition', 'constant', 'type', 'size', 'coalesce', 'negative', 'list'])
    ) {
      case 'element':
        return element();
      case 'number':
        return this.number(2);
      case 'condition':
        return this.condition(1);
      case 'constant':
        return this.constant('any');
      case 'type': {
        const edges = this.bound.filter(({ kind }) => kind === 'edge');
        if (edges.length === 0) return element();
        const { name } = dice.of(edges);
        return { text: `type(${name})`, run: row => (row.get(name) as Element | null)?.name ?? null };
      }
      case 'size': {
        const value = this.property('string');
        return { text: `size(${value.text})`, run: row => sizeOf(value.run(row)) };
      }
      case 'coalesce': {
        const kind = dice.of(['string', 'integer', 'decimal'] as const);
        const [a, b] = [this.property(kind), this.property(kind)];
        return { text: `coalesce(${a.text}, ${b.text})`, run: row => a.run(row) ?? b.run(row) };
      }
      case 'negative': {
        const value = this.property(dice.of(['integer', 'float', 'decimal'] as const));
        return { text: `(-${value.text})`, run: row => calculate('*', value.run(row), -1n) };
      }
      case 'list': {
        const items = [this.property('any'), this.constant('string')];
        return { text: `[${items.map(({ text }) => text).join(', ')}]`, run: row => items.map(item => item.run(row)) };
      }
      default:
        return this.property('any');
    }
  }

  private groupKey(): Expression {
    const { dice } = this;
    if (dice.chance(0.15)) {
      const { name } = dice.of(this.bound.filter(({ kind }) => kind === 'node'));
      // Elements have no order here, since ids are given by the database.
      return { text: `${name}.id`, run: row => propertyOf(row.get(name), 'id') };
    }
    return this.property(dice.of(['string', 'integer', 'float', 'decimal', 'boolean', 'boolean', 'day'] as const));
  }

  private aggregate(): Expression & { of: (rows: Row[]) => Value } {
    const { dice } = this;
    const name = dice.of(['count', 'count', 'sum', 'min', 'max', 'avg']);
    if (name === 'count' && dice.chance(0.4)) return { text: 'count(*)', run: () => null, of: rows => BigInt(rows.length) };
    const kinds = { sum: ['integer', 'decimal'], avg: ['integer'] } as const;
    const kind =
      name === 'sum' || name === 'avg'
        ? dice.of(kinds[name])
        : dice.of(['string', 'integer', 'float', 'decimal', 'boolean', 'day'] as const);
    const value = this.property(kind);
    const isDistinct = dice.chance(0.3);
    return {
      text: `${name}(${isDistinct ? 'DISTINCT ' : ''}${value.text})`,
      run: () => null,
      of: rows => {
        let values = rows.map(row => value.run(row)).filter(each => each !== null);
        if (isDistinct) values = [...new Map(values.map(each => [keyOf(each), each])).values()];
        return aggregated(name, values);
      },
    };
  }

  /** Keys that put every match in a place of its own, after some that do not. */
  private unique(): { key: Expression; isDescending: boolean }[] {
    const { dice } = this;
    const first = dice.many(1, () => this.property(dice.of(['string', 'integer', 'float', 'decimal', 'boolean', 'day'] as const)));
    const own = this.bound.map(({ name, kind }) => [
      { text: `${name}.id`, run: (row: Row) => propertyOf(row.get(name), 'id') },
      ...(kind === 'edge' ? [{ text: `type(${name})`, run: (row: Row) => (row.get(name) as Element | null)?.name ?? null }] : []),
    ]);
    return [...first, ...own.flat()].map(key => ({ key, isDescending: dice.chance(0.4) }));
  }
}

function hasLabel(element: Element, label: string): boolean {
  return label === 'F' ? hasFurtherLabel(element) : element.name === label;
}

/** The types that lead on from nodes with these labels, with the labels at their other ends. */
function waysFrom(labels: string[], direction: 'out' | 'in' | 'both'): { type: string; to: string }[] {
  return Object.entries(ends).flatMap(([type, [from, to]]) => [
    ...(direction !== 'in' && labels.includes(from) ? [{ type, to }] : []),
    ...(direction !== 'out' && labels.includes(to) ? [{ type, to: from }] : []),
  ]);
}

interface Tail {
  text: string;
  isGrouped: boolean;
  run: (rows: Row[]) => { rows: unknown[][]; isOrdered: boolean };
}

function aggregated(name: string, values: Value[]): Value {
  switch (name) {
    case 'count':
      return BigInt(values.length);
    case 'sum': {
      const isWhole = values.every(value => typeof value === 'bigint');
      if (isWhole) return fitting(values.reduce((sum, value) => sum + value, 0n));
      return values.reduce((sum, value) => calculate('+', sum, value));
    }
    case 'avg':
      if (values.some(value => typeof value !== 'bigint')) throw new NaiveError('TypeError');
      return values.length === 0 ? null : Number((values as bigint[]).reduce((sum, value) => sum + value, 0n)) / values.length;
    default: {
      const [first = null] = [...values].sort((a, b) => compareForOrder(a, b) * (name === 'min' ? 1 : -1));
      return first;
    }
  }
}

function isElement(value: Value): value is Element {
  return value !== null && typeof value === 'object' && 'kind' in value;
}

function propertyOf(value: Value | undefined, name: string): Value {
  return value == null ? null : ((value as Element).properties.get(name) ?? null);
}

function sizeOf(value: Value): Value {
  if (value === null) return null;
  if (typeof value !== 'string') throw new NaiveError('TypeError');
  return BigInt([...value].length);
}

function named(columns: Expression[]): string {
  return columns.map(({ text }, i) => `${text} AS c${i}`).join(', ');
}

function ordering(keys: { key: Expression; isDescending: boolean }[]): string {
  if (keys.length === 0) return '';
  return ` ORDER BY ${keys.map(({ key, isDescending }) => `${key.text}${isDescending ? ' DESC' : ''}`).join(', ')}`;
}

function page(skip: number | null, limit: number | null): string {
  return `${skip === null ? '' : ` SKIP ${skip}`}${limit === null ? '' : ` LIMIT ${limit}`}`;
}

function sorted(rows: { values: Value[]; keys: Value[] }[], sorting: { isDescending: boolean }[]): Value[][] {
  const compare = (a: { keys: Value[] }, b: { keys: Value[] }): number => {
    for (const [i, { isDescending }] of sorting.entries()) {
      const order = compareForOrder(a.keys[i]!, b.keys[i]!);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  };
  return [...rows].sort(compare).map(({ values }) => values);
}

function paged(rows: Value[][], skip: number | null, limit: number | null): unknown[][] {
  return rows.slice(skip ?? 0, limit === null ? undefined : (skip ?? 0) + limit).map(row => row.map(shown));
}
