import { type Expressions } from './expressions.js';
import { percentileDisc } from './naive-functions.js';
import { calculate, compareForOrder, fitting, keyOf, NaiveError, type Value } from './naive-values.js';
import { type Row } from './row.js';
import { type Bound, type Expression, type Kind, type PlainKind, plainKinds, propertyOf, type Scope } from './scope.js';

/** The result of a projection: its rows, whether their order is determined, and whether the choice of rows is. */
export interface Projected {
  rows: { values: Value[]; cited: ReadonlySet<string>; needed: ReadonlySet<string> }[];
  isOrdered: boolean;
  /** Whether SKIP or LIMIT separates rows whose order is undefined, so that other rows would be correct too. */
  isAnyOfMany: boolean;
}

/** The text after WITH or RETURN, and its meaning as a function of the rows before it. */
export interface Projection {
  text: string;
  isGrouped: boolean;
  columns: Column[];
  run: (rows: Row[]) => Projected;
}

/** A column of a projection. `bound` is undefined if WITH does not pass the column on. */
export interface Column extends Expression {
  name: string;
  bound?: Bound;
}

interface SortKey {
  text: string;
  run: (row: Row) => Value;
  isDescending: boolean;
}
interface Aggregate extends Column {
  of: (rows: Row[]) => Value;
  /** The rows that decide the result, if not all rows do: those with the extreme value for min and max. */
  deciding?: (rows: Row[]) => Row[];
}
type Made = Projected['rows'][number] & { keys: Value[] };

/** Makes the text that WITH and RETURN have in common. */
export class Projections {
  constructor(
    private readonly scope: Scope,
    private readonly expressions: Expressions,
  ) {}

  /** A projection that converts each row by itself. */
  flat(columns: Column[]): Projection {
    const { dice } = this.scope;
    const sorting = dice.chance(0.5) ? this.unique() : [];
    const [skip, limit] = sorting.length > 0 && dice.chance(0.4) ? [dice.of([null, 0, 2]), dice.of([null, 1, 3])] : [null, null];
    return {
      text: `${named(columns)}${ordering(sorting)}${page(skip, limit)}`,
      isGrouped: false,
      columns,
      run: rows => {
        const made = rows.map(row => ({
          values: columns.map(column => column.run(row)),
          keys: sorting.map(({ run }) => run(row)),
          cited: row.cited,
          needed: row.cited,
        }));
        return paged(made, sorting, skip, limit);
      },
    };
  }

  /** A projection that groups by keys, or DISTINCT if there are no aggregates. */
  grouped(keys: Column[], aggregates: Aggregate[]): Projection {
    const { dice } = this.scope;
    const isDistinct = aggregates.length === 0;
    const sorted = keys.filter(({ bound }) => bound?.kind === 'value' && (plainKinds as readonly Kind[]).includes(bound.of));
    const isSorted = sorted.length === keys.length && dice.chance(0.5);
    const sorting = isSorted ? keys.map(({ name, run }) => ({ text: name, run, isDescending: dice.chance(0.4) })) : [];
    const [skip, limit] = sorting.length > 0 && dice.chance(0.4) ? [dice.of([null, 1]), dice.of([null, 2])] : [null, null];
    const columns = [...keys, ...aggregates];
    return {
      text: `${isDistinct ? 'DISTINCT ' : ''}${named(columns)}${ordering(sorting)}${page(skip, limit)}`,
      isGrouped: true,
      columns,
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
          cited: union(group.rows),
          needed: union(deciding(aggregates, group.rows)),
        }));
        return paged(made, sorting, skip, limit);
      },
    };
  }

  key(name: string, kinds: readonly PlainKind[] = ['string', 'integer', 'float', 'decimal', 'boolean', 'boolean', 'day']): Column {
    const { dice, nodes } = this.scope;
    if (nodes.length > 0 && dice.chance(0.15)) {
      // Elements are not sorted here, because the database assigns their ids.
      const node = dice.of(nodes);
      const of = node.names.length > 1 ? 'any' : node.names[0] === 'A' ? 'integer' : 'string';
      return { name, text: `${node.name}.id`, run: row => propertyOf(row.get(node.name), 'id'), bound: { name, kind: 'value', of } };
    }
    const of = dice.of(kinds);
    return { name, ...this.expressions.term(of), bound: { name, kind: 'value', of } };
  }

  aggregate(name: string): Aggregate {
    const { dice, isRich } = this.scope;
    const word = dice.of([
      'count',
      'count',
      'sum',
      'min',
      'max',
      'avg',
      ...(isRich ? (['collect', 'percentileDisc'] as const) : []),
    ] as const);
    const result = (of: Kind, items?: PlainKind): Bound => ({ name, kind: 'value', of, ...(items && { items }) });
    const none = { name, run: () => null };
    if (word === 'count' && dice.chance(0.4))
      return { ...none, text: 'count(*)', of: rows => BigInt(rows.length), bound: result('integer') };
    const kinds: Partial<Record<typeof word, PlainKind[]>> = {
      sum: ['integer', 'decimal'],
      avg: ['integer'],
      collect: ['string', 'integer'],
      percentileDisc: ['integer', 'decimal'],
    };
    const kind = dice.of(kinds[word] ?? plainKinds);
    const value = this.expressions.term(kind);
    const share = dice.of([0, 0.25, 0.5, 1]);
    const isDistinct = word !== 'percentileDisc' && dice.chance(0.3);
    const argument = `${isDistinct ? 'DISTINCT ' : ''}${value.text}${word === 'percentileDisc' ? `, ${share.toFixed(2)}` : ''}`;
    const of = { count: 'integer', sum: kind, avg: 'float', min: kind, max: kind, collect: 'bag', percentileDisc: kind } as const;
    const taken = (rows: Row[]): Value[] => {
      const values = rows.map(row => value.run(row)).filter(each => each !== null);
      return isDistinct ? [...new Map(values.map(each => [keyOf(each), each])).values()] : values;
    };
    return {
      ...none,
      text: `${word}(${argument})`,
      of: rows => (word === 'percentileDisc' ? percentileDisc(taken(rows), share, compareForOrder) : aggregated(word, taken(rows))),
      // A variable of the kind `day` is always a date: unlike `constant`, `term` never makes the text of a day.
      bound: result(of[word], word === 'collect' ? kind : undefined),
      ...(word === 'min' || word === 'max'
        ? {
            deciding: rows => {
              const extreme = aggregated(word, taken(rows));
              return extreme === null ? [] : rows.filter(row => value.run(row) !== null && compareForOrder(value.run(row), extreme) === 0);
            },
          }
        : {}),
    };
  }

  /** Sort keys that give every row a place of its own. Some random keys, which may be equal, come first. */
  private unique(): SortKey[] {
    const { dice, elements } = this.scope;
    const first = dice.many(1, () => this.expressions.term(dice.of(plainKinds)));
    const own = elements.flatMap(({ name, kind }) => [
      { text: `${name}.id`, run: (row: Row) => propertyOf(row.get(name), 'id') },
      ...(kind === 'edge' ? [{ text: `type(${name})`, run: (row: Row) => typeOf(row.get(name)) }] : []),
    ]);
    const values = plainKinds.flatMap(kind => this.scope.valuesOf(kind)).map(({ name }) => ({ text: name, run: (row: Row) => row.get(name) ?? null })); // prettier-ignore
    return [...first, ...own, ...values].map(key => ({ ...key, isDescending: dice.chance(0.4) }));
  }
}

/**
 * The rows whose citations a grouped row needs at least: all rows of the group, or only those with the extremes if all aggregates are min
 * or max.
 */
function deciding(aggregates: Aggregate[], rows: Row[]): Row[] {
  if (aggregates.length === 0 || aggregates.some(aggregate => !aggregate.deciding)) return rows;
  return aggregates.flatMap(aggregate => aggregate.deciding!(rows));
}

function union(rows: Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ cited }) => [...cited]));
}

function typeOf(value: Value | undefined): Value {
  return value == null ? null : (value as { name: string }).name;
}

function aggregated(name: string, values: Value[]): Value {
  switch (name) {
    case 'count':
      return BigInt(values.length);
    case 'collect':
      return values;
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

function named(columns: Column[]): string {
  return columns.map(({ text, name }) => (text === name ? name : `${text} AS ${name}`)).join(', ');
}

function ordering(keys: SortKey[]): string {
  if (keys.length === 0) return '';
  return ` ORDER BY ${keys.map(({ text, isDescending }) => `${text}${isDescending ? ' DESC' : ''}`).join(', ')}`;
}

function page(skip: number | null, limit: number | null): string {
  return `${skip === null ? '' : ` SKIP ${skip}`}${limit === null ? '' : ` LIMIT ${limit}`}`;
}

function paged(made: Made[], sorting: SortKey[], skip: number | null, limit: number | null): Projected {
  const compare = (a: Made, b: Made): number => {
    for (const [i, { isDescending }] of sorting.entries()) {
      const order = compareForOrder(a.keys[i]!, b.keys[i]!);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  };
  const isSame = (a: Made, b: Made): boolean => [a, b].map(whole).every((text, _, [first]) => text === first);
  const rows = [...made].sort(compare);
  const from = skip ?? 0;
  const to = limit === null ? rows.length : Math.min(rows.length, from + limit);
  const isTorn = (at: number): boolean => {
    const [before, behind] = [rows[at - 1], rows[at]];
    if (!before || !behind || compare(before, behind) !== 0) return false;
    return rows.filter(row => compare(row, behind) === 0).some(row => !isSame(row, behind));
  };
  const isTied = rows.some((row, i) => i > 0 && compare(rows[i - 1]!, row) === 0 && !isSame(rows[i - 1]!, row));
  return { rows: rows.slice(from, to), isOrdered: sorting.length > 0 && !isTied, isAnyOfMany: isTorn(from) || isTorn(to) };
}

function whole({ values, cited }: Made): string {
  return [...values.map(keyOf), ...[...cited].sort()].join('\n');
}
