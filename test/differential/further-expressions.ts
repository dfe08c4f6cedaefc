import { type Expressions, hasLabel } from './expressions.js';
import { all, calculate, Day, type Element, equal, fitting, not, or, type Path, type Value } from './naive-values.js';
import * as naive from './naive-functions.js';
import { hasFurtherLabel } from './random-graph.js';
import { type Patterns } from './patterns.js';
import { type Row } from './row.js';
import { type Expression, type Kind, propertyOf, type Scope } from './scope.js';
import { textExpression } from './text-expressions.js';

type Run = Expression['run'];

/**
 * Makes the expressions that only the memory executor supports: functions, CASE, lists, maps, days and counts of patterns. None of them
 * fails.
 */
export class FurtherExpressions {
  private depth = 0;

  constructor(
    private readonly scope: Scope,
    private readonly plain: Expressions,
    private readonly patterns: Patterns,
  ) {
    plain.further = kind => this.value(kind);
    plain.furtherCondition = mayBePattern => this.condition(mayBePattern);
  }

  value(kind: Kind): Expression {
    // Bounds the nesting of expressions.
    if (this.depth >= 2) return this.plain.property(kind);
    this.depth++;
    try {
      return this.made(kind);
    } finally {
      this.depth--;
    }
  }

  private made(kind: Kind): Expression {
    const { dice } = this.scope;
    if (kind !== 'bag' && kind !== 'elements' && dice.chance(0.25)) return this.chosen(kind);
    switch (kind) {
      case 'string':
        return textExpression(this.scope, this.plain, { day: () => this.day(), textList: () => this.textList() });
      case 'integer':
        return this.integer();
      case 'float':
        return this.float();
      case 'decimal':
        return this.one('decimal', 'abs', naive.absolute);
      case 'boolean':
        return dice.chance(0.3) ? this.one('string', 'toBoolean', text => ({ true: true, false: false })[text as string] ?? null) : this.condition(); // prettier-ignore
      case 'day':
        return this.day();
      case 'list':
        return this.list();
      case 'integers':
        return this.integers();
      case 'elements':
        return this.elements();
      case 'bag':
        return this.plain.property('bag');
      case 'map':
        return this.map();
      case 'any':
        return this.value(dice.of(['string', 'integer', 'float', 'day', 'list', 'map', 'integers'] as const));
      default:
        return kind satisfies never;
    }
  }

  /** Makes a condition that never raises an error. */
  private condition(mayBePattern = false): Expression {
    const { dice } = this.scope;
    if (this.depth >= 2) return this.plain.property('boolean');
    this.depth++;
    try {
      switch (dice.of(['pattern', 'pattern', 'quantifier', 'quantifier', 'in', 'empty', 'map', 'labels'])) {
        case 'pattern':
          return this.patterns.condition(mayBePattern);
        case 'quantifier':
          return this.quantifier();
        case 'in': {
          const kind = dice.of(['list', 'integers', 'bag'] as const);
          const list = this.plain.property(kind === 'bag' && this.scope.valuesOf('bag').length === 0 ? 'list' : kind);
          const item = this.plain.constant(kind === 'integers' ? 'integer' : 'string');
          const run: Run = row => (list.run(row) === null ? null : or((list.run(row) as Value[]).map(each => equal(item.run(row), each))));
          return { text: `${item.text} IN ${list.text}`, run };
        }
        case 'empty': {
          const kind = dice.of(['string', 'list'] as const);
          return this.one(kind, 'isEmpty', value => (value as string | Value[]).length === 0);
        }
        case 'map': {
          const [a, b] = [this.value('map'), this.value('map')];
          return { text: `${a.text} = ${b.text}`, run: row => equal(a.run(row), b.run(row)) };
        }
        default: {
          const { nodes } = this.scope;
          if (nodes.length === 0) return this.quantifier();
          const [{ name }, label] = [dice.of(nodes), dice.of(['A', 'B', 'F'])];
          const run: Run = row => (row.get(name) == null ? null : hasLabel(row.get(name) as Element, label));
          return { text: `'${label}' IN labels(${name})`, run };
        }
      }
    } finally {
      this.depth--;
    }
  }

  private integer(): Expression {
    const { dice, bound } = this.scope;
    switch (dice.of(['size', 'size', 'toInteger', 'sign', 'length', 'count', 'day', 'days', 'reduce', 'keys', 'item', 'field'])) {
      case 'size': {
        const kind = dice.of(['string', 'list', 'integers', 'elements', 'bag'] as const);
        const usable = kind === 'bag' && this.scope.valuesOf('bag').length === 0 ? 'string' : kind;
        const value = usable === 'bag' || usable === 'string' ? this.plain.property(usable) : this.value(usable);
        return this.call('size', value, each =>
          BigInt(typeof each === 'string' ? naive.characters(each).length : (each as Value[]).length),
        );
      }
      case 'toInteger':
        return this.one('string', 'toInteger', text => naive.integerOfText(text as string));
      case 'sign':
        return this.one(dice.of(['integer', 'float', 'decimal'] as const), 'sign', value => naive.signOf(value as bigint));
      case 'length': {
        const paths = bound.filter(({ kind }) => kind === 'path');
        if (paths.length === 0) return this.plain.property('integer');
        const { name } = dice.of(paths);
        return { text: `length(${name})`, run: row => (row.get(name) == null ? null : BigInt((row.get(name) as Path).edges.length)) };
      }
      case 'count':
        return this.patterns.count();
      case 'day': {
        const [day, name] = [this.day(), dice.of(['year', 'month', 'day', 'quarter', 'ordinalDay', 'dayOfWeek'])];
        return { text: `${day.text}.${name}`, run: row => (day.run(row) === null ? null : naive.componentOf(day.run(row) as Day, name)) };
      }
      case 'days': {
        const [from, to] = [this.day(), this.day()];
        const run: Run = row => {
          const [a, b] = [from.run(row), to.run(row)] as (Day | null)[];
          return a === null || b === null ? null : BigInt(naive.numberOfDay(b!) - naive.numberOfDay(a!));
        };
        return { text: `duration.inDays(${from.text}, ${to.text}).days`, run };
      }
      case 'reduce': {
        const [list, sum, item] = [this.plain.property('list'), this.scope.name('a'), this.scope.name('x')];
        const run: Run = row => (list.run(row) === null ? null : BigInt((list.run(row) as string[]).map(each => naive.characters(String(each)).length).reduce((a, b) => 2 * a + b, 0))); // prettier-ignore
        return { text: `reduce(${sum} = 0, ${item} IN ${list.text} | 2 * ${sum} + size(toString(${item})))`, run: this.withoutNullItems(list, run) }; // prettier-ignore
      }
      case 'keys': {
        if (this.scope.elements.length === 0) return this.plain.constant('integer');
        const { name } = dice.of(this.scope.elements);
        return {
          text: `size(keys(${name}))`,
          run: row => (row.get(name) == null ? null : BigInt((row.get(name) as Element).properties.size)),
        };
      }
      case 'item': {
        const [list, index] = [this.integers(), dice.between(-2, 3)];
        return { text: `${list.text}[${index}]`, run: row => (list.run(row) === null ? null : naive.itemOf(list.run(row) as Value[], BigInt(index))) }; // prettier-ignore
      }
      default: {
        const map = this.value('map');
        return { text: `${map.text}.i`, run: row => propertyOf(map.run(row), 'i') };
      }
    }
  }

  /** Returns null for a list with a null item: `reduce` then gives null, but the naive `run` would count it. */
  private withoutNullItems(list: Expression, run: Run): Run {
    return row => ((list.run(row) as Value[] | null)?.includes(null) ? null : run(row));
  }

  private float(): Expression {
    const { dice } = this.scope;
    switch (dice.of(['toFloat', 'floor', 'ceil', 'round', 'abs', 'sqrt', 'ofText'])) {
      case 'toFloat':
        return this.one('integer', 'toFloat', value => Number(value));
      case 'ofText':
        return this.one('string', 'toFloat', text => naive.floatOfText(text as string));
      case 'floor':
        return this.one('float', 'floor', value => Math.floor(value as number) + 0);
      case 'ceil':
        return this.one('float', 'ceil', value => Math.ceil(value as number) + 0);
      case 'round':
        return this.one('float', 'round', value => naive.roundedFloat(value as number));
      case 'sqrt':
        return this.one('float', 'sqrt', value => Math.sqrt(value as number));
      default:
        return this.one('float', 'abs', naive.absolute);
    }
  }

  /** A value of the type date, never its text. */
  private day(): Expression {
    const { dice } = this.scope;
    const day = this.plain.property('day');
    switch (dice.of(['itself', 'days', 'months', 'truncate', 'made'])) {
      case 'days': {
        const days = dice.of([-400, -1, 1, 30, 366]);
        return this.moved(day, `duration({days: ${days}})`, each => naive.addDays(each, days));
      }
      case 'months': {
        const months = dice.of([-13, -1, 1, 11]);
        return this.moved(day, `duration({months: ${months}})`, each => naive.addMonths(each, months));
      }
      case 'truncate': {
        const unit = dice.of(['year', 'quarter', 'month', 'week']);
        return { text: `date.truncate('${unit}', ${day.text})`, run: row => (day.run(row) === null ? null : naive.truncatedDay(day.run(row) as Day, unit)) }; // prettier-ignore
      }
      case 'made': {
        const [year, month, date] = [dice.between(1999, 2025), dice.between(1, 12), dice.between(1, 28)];
        const text = [year, ...[month, date].map(part => String(part).padStart(2, '0'))].join('-');
        return { text: `date({year: ${year}, month: ${month}, day: ${date}})`, run: () => new Day(text) };
      }
      default:
        return day;
    }
  }

  private moved(day: Expression, by: string, move: (day: Day) => Day): Expression {
    return { text: `(${day.text} + ${by})`, run: row => (day.run(row) === null ? null : move(day.run(row) as Day)) };
  }

  /** A list that contains only texts. */
  private textList(): Expression {
    const { dice } = this.scope;
    const part = dice.of(['a', 'b', '1', '-', '']);
    const run = (text: Value): Value => (part === '' ? naive.characters(text as string) : (text as string).split(part));
    const text = this.plain.property('string');
    return { text: `split(${text.text}, '${part}')`, run: row => (text.run(row) === null ? null : run(text.run(row))) };
  }

  private list(): Expression {
    const { dice } = this.scope;
    const list = dice.chance(0.5) ? this.textList() : this.plain.property('list');
    const ofList = (written: string, call: (list: Value[]) => Value): Expression => ({
      text: written.replace('$', list.text),
      run: row => (list.run(row) === null ? null : call(list.run(row) as Value[])),
    });
    switch (dice.of(['tail', 'reverse', 'slice', 'join', 'comprehension', 'comprehension', 'labels', 'itself'])) {
      case 'tail':
        return ofList('tail($)', each => each.slice(1));
      case 'reverse':
        return ofList('reverse($)', each => [...each].reverse());
      case 'slice': {
        const [from, to] = [dice.of([undefined, -2n, 0n, 1n]), dice.of([undefined, -1n, 1n, 2n, 5n])];
        return ofList(`$[${from ?? ''}..${to ?? ''}]`, each => naive.sliced(each, from, to));
      }
      case 'join': {
        const other = dice.chance(0.5) ? this.plain.property('list') : this.textList();
        return { text: `(${list.text} + ${other.text})`, run: row => calculate('+', list.run(row), other.run(row)) };
      }
      case 'comprehension': {
        const texts = this.textList();
        return this.comprehension(texts, 'string', item => {
          const projection = dice.chance(0.5) ? dice.of(['toUpper', 'size']) : null;
          if (projection === null) return null;
          const call =
            projection === 'size' ? (text: string) => BigInt(naive.characters(text).length) : (text: string) => text.toUpperCase();
          return { text: `${projection}(${item})`, run: row => (row.get(item) == null ? null : call(row.get(item) as string)) };
        });
      }
      case 'labels': {
        const { nodes } = this.scope;
        if (nodes.length === 0) return list;
        const { name } = dice.of(nodes);
        const labelsOf = (node: Element): Value => [node.name, ...(hasFurtherLabel(node) ? ['F'] : [])];
        return { text: `labels(${name})`, run: row => (row.get(name) == null ? null : labelsOf(row.get(name) as Element)) };
      }
      default:
        return list;
    }
  }

  private integers(): Expression {
    const { dice } = this.scope;
    const [first, last, step] = [dice.between(-2, 3), dice.between(-2, 5), dice.of([1, 1, 2, -1])];
    const range: Expression = {
      text: `range(${first}, ${last}${step === 1 ? '' : `, ${step}`})`,
      run: () => naive.rangeOf(BigInt(first), BigInt(last), BigInt(step)),
    };
    switch (dice.of(['range', 'comprehension', 'ids', 'itself'])) {
      case 'comprehension':
        return this.comprehension(range, 'integer', item => {
          const factor = dice.of([-1n, 2n, 3n]);
          return { text: `${item} * ${factor}`, run: row => fitting((row.get(item) as bigint) * factor) };
        });
      case 'ids': {
        const elements = this.elements();
        const item = this.scope.name('x');
        const run: Run = row => (elements.run(row) === null ? null : (elements.run(row) as Element[]).map(each => propertyOf(each, 'w')));
        return { text: `[${item} IN ${elements.text} | ${item}.w]`, run };
      }
      case 'itself':
        return this.scope.valuesOf('integers').length > 0 ? this.plain.property('integers') : range;
      default:
        return range;
    }
  }

  /** The edges or nodes of a path, or the edges of a pattern of variable length. */
  private elements(): Expression {
    const { dice, bound } = this.scope;
    const paths = bound.flatMap(each => (each.kind === 'path' && !each.isAnyOfMany ? [each.name] : []));
    if (paths.length === 0 || dice.chance(0.5)) return this.plain.property('elements');
    const [name, isNodes] = [dice.of(paths), dice.chance(0.5)];
    const run: Run = row => (row.get(name) == null ? null : (row.get(name) as Path)[isNodes ? 'nodes' : 'edges']);
    return { text: `${isNodes ? 'nodes' : 'relationships'}(${name})`, run };
  }

  private map(): Expression {
    const { dice, elements } = this.scope;
    if (elements.length > 0 && dice.chance(0.5)) {
      const { name } = dice.of(elements);
      return { text: `properties(${name})`, run: row => (row.get(name) == null ? null : (row.get(name) as Element).properties) };
    }
    const [s, i] = [this.plain.term('string'), this.plain.term('integer')];
    return { text: `{s: ${s.text}, i: ${i.text}}`, run: row => new Map([['s', s.run(row)], ['i', i.run(row)]]) }; // prettier-ignore
  }

  /** Makes a list comprehension: `[x IN list WHERE … | …]`. */
  private comprehension(list: Expression, of: 'string' | 'integer', project: (item: string) => Expression | null): Expression {
    const { scope } = this;
    const item = scope.name('x');
    return scope.inside(() => {
      scope.bound.push({ name: item, kind: 'value', of });
      const where = scope.dice.chance(0.6) ? this.aboutItem(item, of) : null;
      const projection = project(item);
      const run: Run = row => {
        const items = list.run(row) as Value[] | null;
        const kept = items?.map(each => row.with(item, each)).filter(each => !where || where.run(each) === true);
        return kept?.map(each => (projection ? projection.run(each) : each.get(item)!)) ?? null;
      };
      return { text: `[${item} IN ${list.text}${where ? ` WHERE ${where.text}` : ''}${projection ? ` | ${projection.text}` : ''}]`, run };
    });
  }

  private quantifier(): Expression {
    const { scope } = this;
    const { dice } = scope;
    const bags = scope.valuesOf('bag');
    const kind = dice.of(['list', 'integers', 'elements', 'bag'] as const);
    const bag = kind === 'bag' && bags.length > 0 ? dice.of(bags) : null;
    const [quantifier, item] = [dice.of(['all', 'any', 'none', 'single'] as const), scope.name('x')];
    const list = bag ? { text: bag.name, run: (row: Row) => row.get(bag.name) ?? null } : kind === 'integers' ? this.integers() : kind === 'elements' ? this.elements() : this.textList(); // prettier-ignore
    const condition = scope.inside(() => {
      if (kind === 'elements') return this.aboutElement(item);
      return this.aboutItem(item, bag ? (bag.items ?? 'string') : kind === 'integers' ? 'integer' : 'string');
    });
    return {
      text: `${quantifier}(${item} IN ${list.text} WHERE ${condition.text})`,
      run: row => {
        const items = list.run(row) as Value[] | null;
        if (items === null) return null;
        const found = items.map(each => condition.run(row.with(item, each)) as boolean | null);
        if (quantifier === 'all') return all(found);
        if (quantifier === 'any') return or(found);
        if (quantifier === 'none') return not(or(found));
        const held = found.filter(each => each === true).length;
        return held > 1 ? false : found.includes(null) ? null : held === 1;
      },
    };
  }

  /** A condition on an item: a comparison with a value of the kind `of`, or IS NOT NULL. */
  private aboutItem(item: string, of: Kind): Expression {
    const variable: Expression = { text: item, run: row => row.get(item) ?? null };
    if (this.scope.dice.chance(0.15)) return { text: `${item} IS NOT NULL`, run: row => row.get(item) != null };
    return this.plain.comparison(variable, this.scope.dice.chance(0.7) ? this.plain.constant(of) : this.plain.property(of));
  }

  private aboutElement(item: string): Expression {
    const property = this.scope.dice.of(['w', 'id', 'none']);
    return this.plain.comparison(
      { text: `${item}.${property}`, run: row => propertyOf(row.get(item), property) },
      this.plain.constant('integer'),
    );
  }

  /** CASE, with a condition in WHEN or with a subject that is compared. */
  private chosen(kind: Exclude<Kind, 'bag' | 'elements'>): Expression {
    const { dice } = this.scope;
    const branch = (): Expression => (kind === 'day' ? this.day() : kind === 'list' ? this.list() : this.plain.property(kind));
    const [then, otherwise] = [branch(), dice.chance(0.7) ? branch() : null];
    const end = otherwise ? ` ELSE ${otherwise.text} END` : ' END';
    if (dice.chance(0.4)) {
      const subject = this.plain.property(dice.of(['string', 'integer', 'boolean'] as const));
      const when = this.plain.constant(dice.of(['string', 'integer', 'boolean'] as const));
      return {
        text: `CASE ${subject.text} WHEN ${when.text} THEN ${then.text}${end}`,
        run: row => (equal(subject.run(row), when.run(row)) === true ? then.run(row) : (otherwise?.run(row) ?? null)),
      };
    }
    const when = this.plain.condition(1);
    return {
      text: `CASE WHEN ${when.text} THEN ${then.text}${end}`,
      run: row => (when.run(row) === true ? then.run(row) : (otherwise?.run(row) ?? null)),
    };
  }

  private one(kind: Kind, name: string, call: (value: any) => Value): Expression {
    return this.call(name, this.plain.property(kind), call);
  }

  private call(name: string, argument: Expression, call: (value: any) => Value): Expression {
    return { text: `${name}(${argument.text})`, run: row => (argument.run(row) === null ? null : call(argument.run(row))) };
  }
}
