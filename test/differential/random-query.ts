import { type Dice } from '../support/dice.js';
import { Expressions } from './expressions.js';
import { FurtherExpressions } from './further-expressions.js';
import { calculate, keyOf, NaiveError, shown, type Value } from './naive-values.js';
import { Patterns } from './patterns.js';
import { type Column, type Projected, type Projection, Projections } from './projections.js';
import { type RandomGraph } from './random-graph.js';
import { Row } from './row.js';
import { type Expression, type Kind, plainKinds, Scope } from './scope.js';

/** A query that has more rows than this after any clause is given up. */
const mostRows = 1_500;

export interface Expected {
  /** In the order of the query, if `isOrdered`. */
  rows: unknown[][];
  isOrdered: boolean;
  /** Whether other rows would be correct too, because SKIP or LIMIT separates rows whose order is undefined. */
  isAnyOfMany: boolean;
  /** Whether other citations would be correct too, because the query returns any one of several shortest paths. */
  citesAnyOfMany: boolean;
  /** `cited`: the elements of all matches behind the rows. `needed`: those that must be cited, which are fewer for min and max. */
  cited: ReadonlySet<string>;
  needed: ReadonlySet<string>;
}

export interface RandomQuery {
  text: string;
  parameters: Record<string, Value>;
  /** Null for a query with too many rows. @throws NaiveError */
  evaluate(graph: RandomGraph): Expected | null;
}

class TooManyRows extends Error {}

interface Clause {
  text: string;
  run: (rows: Row[], graph: RandomGraph) => Row[];
}

/** Makes queries. Half of them have only parts that both executors support; the other half uses all of reading Cypher. */
export class QueryMaker {
  private scope!: Scope;
  private expressions!: Expressions;
  private patterns!: Patterns;
  private projections!: Projections;
  private further: FurtherExpressions | null = null;
  /**
   * `isTorn`: in this evaluation SKIP or LIMIT has made a random choice of rows. `citesAnyOfMany`: only the citations are such a choice.
   */
  private isTorn = false;
  private citesAnyOfMany = false;

  constructor(private readonly dice: Dice) {}

  make(): RandomQuery {
    const { dice } = this;
    this.scope = new Scope(dice, dice.chance(0.5));
    this.expressions = new Expressions(this.scope);
    this.patterns = new Patterns(this.scope, this.expressions);
    this.projections = new Projections(this.scope, this.expressions);
    this.further = this.scope.isRich ? new FurtherExpressions(this.scope, this.expressions, this.patterns) : null;
    const first = this.single();
    const union = this.scope.isRich && dice.chance(0.1) ? this.united(first) : null;
    const { parameters } = this.scope;
    return {
      text: union?.text ?? first.text,
      parameters,
      evaluate: graph => {
        [this.isTorn, this.citesAnyOfMany] = [false, false];
        try {
          const { rows, isOrdered, isAnyOfMany } = (union ?? first).run(graph);
          return {
            rows: rows.map(({ values }) => values.map(shown)),
            isOrdered,
            isAnyOfMany: isAnyOfMany || this.isTorn,
            citesAnyOfMany: this.citesAnyOfMany,
            cited: new Set(rows.flatMap(({ cited }) => [...cited])),
            needed: new Set(rows.flatMap(({ needed }) => [...needed])),
          };
        } catch (error) {
          if (error instanceof TooManyRows) return null;
          throw error;
        }
      },
    };
  }

  /** Makes a query without UNION. `width` is the number of its columns; by default it is random. */
  private single(width?: number): { text: string; width: number; run: (graph: RandomGraph) => Projected } {
    const { dice, scope } = this;
    const clauses: Clause[] = [];
    if (!scope.isRich) {
      clauses.push(this.match(false));
      if (dice.chance(0.2)) clauses.push(this.match(dice.chance(0.5)));
    } else {
      clauses.push(dice.chance(0.85) ? this.match(false) : this.unwind());
      for (let more = dice.between(0, 3); more > 0; more--) clauses.push(this.clause());
    }
    const end = this.end(width);
    return {
      text: [...clauses, { text: `RETURN ${end.text}` }].map(({ text }) => text).join(' '),
      width: end.columns.length,
      run: graph => end.run(clauses.reduce((rows, clause) => this.few(clause.run(rows, graph)), [new Row(graph)])),
    };
  }

  private few(rows: Row[]): Row[] {
    if (rows.length > mostRows) throw new TooManyRows();
    return rows;
  }

  /** Makes `… UNION …`. Equal rows become one, except with UNION ALL. */
  private united(first: ReturnType<QueryMaker['single']>): { text: string; run: (graph: RandomGraph) => Projected } {
    this.scope.bound = [];
    const [second, isAll] = [this.single(first.width), this.dice.chance(0.5)];
    return {
      text: `${first.text} UNION ${isAll ? 'ALL ' : ''}${second.text}`,
      run: graph => {
        const parts = [first.run(graph), second.run(graph)];
        const all = parts.flatMap(part => part.rows);
        const groups = new Map<string, typeof all>();
        for (const [i, row] of all.entries()) {
          const key = isAll ? String(i) : row.values.map(keyOf).join('\n');
          groups.set(key, [...(groups.get(key) ?? []), row]);
        }
        const united = [...groups.values()].map(group => ({
          values: group[0]!.values,
          cited: new Set(group.flatMap(({ cited }) => [...cited])),
          needed: new Set(group.flatMap(({ needed }) => [...needed])),
        }));
        return { rows: united, isOrdered: false, isAnyOfMany: parts.some(({ isAnyOfMany }) => isAnyOfMany) };
      },
    };
  }

  private clause(): Clause {
    const { dice } = this;
    switch (dice.of(['match', 'match', 'optional', 'with', 'with', 'grouped', 'unwind', 'shortest'])) {
      case 'match':
        return this.match(false);
      case 'optional':
        return this.match(true);
      case 'with':
        return this.with();
      case 'grouped':
        return this.groupedWith();
      case 'unwind':
        return this.unwind();
      default:
        return this.shortest() ?? this.unwind();
    }
  }

  private match(optional: boolean): Clause {
    const { dice } = this;
    const pattern = this.patterns.pattern();
    const where = dice.chance(0.65) ? this.expressions.where() : null;
    return {
      text: `${optional ? 'OPTIONAL ' : ''}MATCH ${pattern.text}${where ? ` WHERE ${where.text}` : ''}`,
      run: rows => rows.flatMap(row => found(row, pattern.run(row), where, pattern.own, optional)),
    };
  }

  private shortest(): Clause | null {
    const optional = this.dice.chance(0.5);
    const pattern = this.patterns.shortest();
    if (!pattern) return null;
    return {
      text: `${optional ? 'OPTIONAL ' : ''}MATCH ${pattern.text}`,
      run: rows => {
        this.citesAnyOfMany ||= pattern.text.includes('shortestPath(');
        return rows.flatMap(row => found(row, pattern.run(row), null, pattern.own, optional));
      },
    };
  }

  /** Makes a WITH that keeps some variables and adds some values under new names. */
  private with(): Clause {
    const { dice, scope } = this;
    const kept = scope.bound.filter(() => dice.chance(0.75)).map(bound => ({ ...bound, text: bound.name, run: (row: Row) => row.get(bound.name) ?? null, bound })); // prettier-ignore
    const made = dice.many(2, () => this.named());
    const columns: Column[] = [...kept, ...made];
    if (columns.length === 0) columns.push(this.named());
    return this.handOn(this.projections.flat(columns), columns);
  }

  private groupedWith(): Clause {
    const { dice, scope } = this;
    const isDistinct = dice.chance(0.3);
    const keys = dice.many(2, () => this.projections.key(scope.name('v')));
    const { nodes } = scope;
    if (nodes.length > 0 && dice.chance(0.5)) {
      const bound = dice.of(nodes);
      keys.push({ name: bound.name, text: bound.name, run: row => row.get(bound.name) ?? null, bound });
    }
    if (isDistinct && keys.length === 0) keys.push(this.projections.key(scope.name('v')));
    const aggregates = isDistinct ? [] : Array.from({ length: dice.between(1, 2) }, () => this.projections.aggregate(scope.name('v')));
    return this.handOn(this.projections.grouped(keys, aggregates), [...keys, ...aggregates]);
  }

  /** Makes a WITH clause, perhaps with a WHERE on the variables that it passes on. */
  private handOn(projection: Projection, columns: Column[]): Clause {
    this.scope.bound = columns.map(({ bound }) => bound!);
    const where = this.dice.chance(0.4) ? this.expressions.where() : null;
    return {
      text: `WITH ${projection.text}${where ? ` WHERE ${where.text}` : ''}`,
      run: (rows, graph) => {
        const projected = projection.run(rows);
        this.isTorn ||= projected.isAnyOfMany;
        return projected.rows
          .map(({ values, cited }) => new Row(graph, new Map(columns.map(({ name }, i) => [name, values[i]!])), cited))
          .filter(row => !where || where.run(row) === true);
      },
    };
  }

  private unwind(): Clause {
    const { dice, scope } = this;
    const [bags, name] = [scope.valuesOf('bag'), scope.name('v')];
    const bag = bags.length > 0 && dice.chance(0.5) ? dice.of(bags) : null;
    const kind = dice.of(['strings', 'integers', 'elements'] as const);
    const of: Kind = bag ? (bag.items ?? 'string') : kind === 'strings' ? 'string' : 'integer';
    const list: Expression = bag
      ? { text: bag.name, run: row => row.get(bag.name) ?? null }
      : kind === 'strings'
        ? this.expressions.constantList('string')
        : kind === 'integers'
          ? this.expressions.constantList('integer')
          : this.further!.value('integers');
    scope.bound.push({ name, kind: 'value', of });
    return {
      text: `UNWIND ${list.text} AS ${name}`,
      run: rows => rows.flatMap(row => ((list.run(row) as Value[] | null) ?? []).map(item => row.with(name, item))),
    };
  }

  /** Makes the projection after RETURN, with `width` columns if that is given. */
  private end(width?: number): Projection {
    const { dice, scope } = this;
    const columnsOf = (count: number): Column[] => Array.from({ length: count }, (_, i) => ({ name: `c${i}`, ...this.shownValue() }));
    if (width !== undefined) return this.projections.flat(columnsOf(width));
    if (!dice.chance(0.4)) return this.projections.flat(columnsOf(dice.between(1, 3)));
    const isDistinct = dice.chance(0.25);
    let count = dice.of([0, 1, 1, 2]);
    if (isDistinct && count === 0) count = 1;
    const keys = Array.from({ length: count }, (_, i) => this.key(`c${i}`, isDistinct && scope.isRich));
    const aggregates = isDistinct ? [] : Array.from({ length: dice.between(1, 2) }, (_, i) => this.projections.aggregate(`c${count + i}`));
    for (const aggregate of aggregates)
      if (aggregate.bound?.kind === 'value' && aggregate.bound.of === 'bag') {
        // The order of a collected list is undefined, so only its size is returned.
        const { of, text } = aggregate;
        aggregate.text = `size(${text})`;
        aggregate.of = rows => BigInt((of(rows) as Value[]).length);
      }
    return this.projections.grouped(keys, aggregates);
  }

  private key(name: string, mayBeNode: boolean): Column {
    const { nodes } = this.scope;
    if (!mayBeNode || nodes.length === 0 || this.dice.chance(0.5)) return this.projections.key(name);
    const node = this.dice.of(nodes);
    return { name, text: node.name, run: row => row.get(node.name) ?? null, bound: { ...node, name } };
  }

  /** Makes a value with a name, for WITH. */
  private named(): Column {
    const { dice, scope } = this;
    const [name, of] = [scope.name('v'), dice.of([...plainKinds, 'list', 'integers', 'map'] as const)];
    const value = of === 'map' || of === 'integers' || dice.chance(0.5) ? this.further!.value(of) : this.expressions.property(of);
    return { name, ...value, bound: { name, kind: 'value', of } };
  }

  private shownValue(): Expression {
    const { dice, scope, expressions } = this;
    const element = (): Expression => {
      if (scope.elements.length === 0) return expressions.property('string');
      const { name } = dice.of(scope.elements);
      return { text: name, run: row => row.get(name) ?? null };
    };
    if (this.further && dice.chance(0.4))
      return this.further.value(dice.of([...plainKinds, 'list', 'integers', 'map', 'elements', 'any'] as const));
    switch (
      dice.of(['property', 'property', 'element', 'number', 'condition', 'constant', 'type', 'size', 'coalesce', 'negative', 'list'])
    ) {
      case 'element':
        return element();
      case 'number':
        return expressions.number(2);
      case 'condition':
        return expressions.condition(1);
      case 'constant':
        return expressions.constant('any');
      case 'type': {
        const edges = scope.elements.filter(({ kind }) => kind === 'edge');
        if (edges.length === 0) return element();
        const { name } = dice.of(edges);
        return { text: `type(${name})`, run: row => (row.get(name) as { name: string } | null)?.name ?? null };
      }
      case 'size': {
        const value = expressions.property('string');
        return { text: `size(${value.text})`, run: row => sizeOf(value.run(row)) };
      }
      case 'coalesce': {
        const kind = dice.of(['string', 'integer', 'decimal'] as const);
        const [a, b] = [expressions.property(kind), expressions.property(kind)];
        return { text: `coalesce(${a.text}, ${b.text})`, run: row => a.run(row) ?? b.run(row) };
      }
      case 'negative': {
        const value = expressions.property(dice.of(['integer', 'float', 'decimal'] as const));
        return { text: `(-${value.text})`, run: row => calculate('*', value.run(row), -1n) };
      }
      case 'list': {
        const items = [expressions.property('any'), expressions.constant('string')];
        return { text: `[${items.map(({ text }) => text).join(', ')}]`, run: row => items.map(item => item.run(row)) };
      }
      default:
        return expressions.property('any');
    }
  }
}

/** The rows of a MATCH clause for one row. An OPTIONAL MATCH without matches returns the row with null for its new variables. */
function found(row: Row, matches: Row[], where: Expression | null, own: string[], optional: boolean): Row[] {
  const kept = matches.filter(each => !where || where.run(each) === true);
  return kept.length > 0 || !optional ? kept : [own.reduce((missed, name) => missed.with(name, null), row)];
}

function sizeOf(value: Value): Value {
  if (value === null) return null;
  if (typeof value !== 'string') throw new NaiveError('TypeError');
  return BigInt([...value].length);
}
