import { all, calculate, Day, type Element, equal, isNumber, less, not, or, type Value } from './naive-values.js';
import { hasFurtherLabel, texts } from './random-graph.js';
import { type Row } from './row.js';
import { type Expression, type Kind, plainKinds, propertyKinds, propertyOf, type Scope } from './scope.js';

export type ConstantKind = 'string' | 'integer' | 'float' | 'decimal' | 'day';

/** A day, for queries without an element that has a day. */
const someDay: Expression = { text: "date('2024-01-31')", run: () => new Day('2024-01-31') };

/** Makes the expressions that both executors support: properties, constants, comparisons and arithmetic. */
export class Expressions {
  /** Makes a value that only the memory executor supports. Null in queries that must run in SQL too. */
  further: ((kind: Kind) => Expression) | null = null;
  /** Makes a condition that only the memory executor supports. */
  furtherCondition: ((mayBePattern: boolean) => Expression) | null = null;

  /** Whether a bare pattern such as `(a)-->(b)` may be a condition: only in WHERE. */
  private mayBePattern = false;

  constructor(private readonly scope: Scope) {}

  /** Makes a value of the kind. In some queries it is one that only the memory executor supports. */
  term(kind: Kind): Expression {
    return this.further && this.scope.dice.chance(0.4) ? this.further(kind) : this.property(kind);
  }

  /** Makes a condition of parts that cannot fail, or a single comparison that can. */
  where(): Expression {
    if (this.scope.dice.chance(0.1)) return this.comparison(this.number(2), this.number(1));
    this.mayBePattern = true;
    const made = this.condition(2);
    this.mayBePattern = false;
    return made;
  }

  condition(depth: number): Expression {
    const { dice } = this.scope;
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
    if (this.furtherCondition && dice.chance(0.3)) return this.furtherCondition(this.mayBePattern);
    switch (dice.of(['compare', 'compare', 'compare', 'null', 'in', 'text', 'label', 'boolean'])) {
      case 'null': {
        const [value, isNegated] = [this.term('any'), dice.chance(0.5)];
        return { text: `${value.text} IS ${isNegated ? 'NOT ' : ''}NULL`, run: row => (value.run(row) === null) !== isNegated };
      }
      case 'in': {
        const kind = dice.of(['string', 'integer', 'float', 'decimal', 'day'] as const);
        const [item, list] = [this.term(kind), this.constantList(kind)];
        return { text: `${item.text} IN ${list.text}`, run: row => or((list.run(row) as Value[]).map(each => equal(item.run(row), each))) };
      }
      case 'text': {
        const [left, right] = [this.term('string'), dice.chance(0.7) ? this.constant('string') : this.term('string')];
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
        const { nodes } = this.scope;
        if (nodes.length === 0) return this.term('boolean');
        const [{ name }, label] = [dice.of(nodes), dice.of(['A', 'B', 'F'])];
        return { text: `${name}:${label}`, run: row => (row.get(name) == null ? null : hasLabel(row.get(name) as Element, label)) };
      }
      case 'boolean':
        return this.term('boolean');
      default: {
        const kind = dice.of(['string', 'integer', 'float', 'decimal', 'day', 'boolean', 'list', 'any'] as const);
        const left = kind === 'any' ? this.mixed() : this.term(kind);
        // A day is not compared with texts: Cypher reads such a text as a day, and fails if it is not one.
        const others = kind === 'day' ? (['integer', 'float', 'list'] as const) : (['string', 'integer', 'float', 'list'] as const);
        const other = dice.chance(0.15) ? dice.of(others) : kind;
        return this.comparison(left, dice.chance(0.6) ? this.constant(other) : other === 'any' ? this.mixed() : this.term(other));
      }
    }
  }

  comparison(left: Expression, right: Expression): Expression {
    const operator = this.scope.dice.of(['=', '<>', '<', '<=', '>', '>=']);
    return {
      text: `${left.text} ${operator} ${right.text}`,
      run: row => {
        const [a, b] = [left.run(row), right.run(row)];
        if (operator === '=' || operator === '<>') return operator === '=' ? equal(a, b) : not(equal(a, b));
        const [x, y] = operator.startsWith('<') ? [a, b] : [b, a];
        if (operator.length === 1) return less(x, y);
        // A comparison with NaN is false.
        return isNumber(x) && isNumber(y) && [x, y].some(value => Number.isNaN(value)) ? false : not(less(y, x));
      },
    };
  }

  /** Makes a number that may fail, for example in a division by zero. Decimals are never divided in this test. */
  number(depth: number): Expression & { isOfDecimals?: boolean } {
    const { dice } = this.scope;
    if (depth === 0 || dice.chance(0.3)) {
      const kind = dice.of(['integer', 'integer', 'float', 'decimal'] as const);
      return { ...(dice.chance(0.6) ? this.property(kind) : this.constant(kind)), isOfDecimals: kind === 'decimal' };
    }
    const [a, b] = [this.number(depth - 1), this.number(depth - 1)];
    const operator = dice.of(['+', '-', '*', '/', '%']);
    const isOfDecimals = a.isOfDecimals || b.isOfDecimals;
    const usable = ['/', '%'].includes(operator) && isOfDecimals ? '+' : operator;
    return { text: `(${a.text} ${usable} ${b.text})`, run: row => calculate(usable, a.run(row), b.run(row)), isOfDecimals };
  }

  /** A property or variable of the kind, if the query has one; otherwise a property that no element has, or a constant. */
  property(kind: Kind): Expression {
    const { dice, elements } = this.scope;
    const choices: { name: string; property: string | null }[] = elements.flatMap(({ name, names }) =>
      names.flatMap(owner =>
        Object.keys(propertyKinds[owner]!)
          .filter(property => kind === 'any' || names.every(each => (propertyKinds[each]![property] ?? kind) === kind))
          .filter(property => kind === 'any' || propertyKinds[owner]![property] === kind)
          .map(property => ({ name, property: property })),
      ),
    );
    const kinds = kind === 'any' ? plainKinds : [kind];
    choices.push(...kinds.flatMap(each => this.scope.valuesOf(each).map(({ name }) => ({ name, property: null }))));
    const isOfElements = !['map', 'bag', 'integers', 'elements'].includes(kind);
    if (choices.length === 0 && !(isOfElements && elements.length > 0)) return kind === 'day' ? someDay : this.constant(kind);
    const { name, property } = choices.length > 0 ? dice.of(choices) : { name: dice.of(elements).name, property: 'none' };
    if (property === null) return { text: name, run: row => row.get(name) ?? null };
    return { text: `${name}.${property}`, run: row => propertyOf(row.get(name), property) };
  }

  /** A property that may have values of any kind except days. */
  mixed(): Expression {
    const { dice, elements } = this.scope;
    if (elements.length === 0) return this.property(dice.of(['string', 'integer', 'float', 'boolean'] as const));
    const { name } = dice.of(elements);
    const property = dice.of(['j', 'm', 's', 'id', 'none']);
    return { text: `${name}.${property}`, run: row => propertyOf(row.get(name), property) };
  }

  constant(kind: Kind): Expression {
    const { dice, parameters } = this.scope;
    const as = (text: string, value: Value): Expression => {
      if (kind === 'day' || !dice.chance(0.3)) return { text, run: () => value };
      const name = `p${Object.keys(parameters).length}`;
      parameters[name] = value;
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
      case 'bag':
        return this.constantList(kind === 'bag' ? 'string' : dice.of(['string', 'integer']));
      case 'integers':
        return this.constantList('integer');
      case 'elements':
        return { text: '[]', run: () => [] };
      case 'map': {
        const [s, i] = [this.constant('string'), this.constant('integer')];
        return { text: `{s: ${s.text}, i: ${i.text}}`, run: row => new Map([['s', s.run(row)], ['i', i.run(row)]]) }; // prettier-ignore
      }
      case 'any':
        return this.constant(dice.of(['string', 'integer', 'float', 'boolean', 'list']));
      default:
        return kind satisfies never;
    }
  }

  constantList(kind: ConstantKind): Expression {
    const { dice } = this.scope;
    const items = dice.many(3, () => this.constant(kind));
    if (dice.chance(0.15)) items.push({ text: 'null', run: () => null });
    return { text: `[${items.map(({ text }) => text).join(', ')}]`, run: row => items.map(item => item.run(row)) };
  }
}

export function hasLabel(element: Element, label: string): boolean {
  return label === 'F' ? hasFurtherLabel(element) : element.name === label;
}
