import { scalarFunctions } from '../../src/cypher/functions/scalar-functions.js';
import { temporalFunctions } from '../../src/cypher/values/temporal/temporal-functions.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { type Dice } from '../support/dice.js';

type Kind = 'number' | 'text' | 'boolean' | 'list' | 'map' | 'time' | 'node' | 'edge' | 'path' | 'edges';
type Variables = readonly (readonly [name: string, kind: Kind])[];

const kinds: readonly Kind[] = ['number', 'text', 'boolean', 'list', 'map', 'time'];
const properties: readonly (readonly [string, Kind])[] = [['x', 'number'], ['y', 'text'], ['z', 'number']]; // prettier-ignore
const labels = ['A', 'B', 'C', 'A|B'];
const types = ['R', 'S', 'T', 'R|S'];
const temporal = Object.keys(temporalFunctions).filter(name => !name.includes('.'));
const listFunctions = ['reverse', 'tail', 'toStringList', 'keys', 'range', 'nodes', 'relationships', 'split', 'labels'];
const numberFunctions = [
  'abs',
  'ceil',
  'floor',
  'sign',
  'sqrt',
  'exp',
  'log',
  'sin',
  'atan2',
  'size',
  'length',
  'toInteger',
  'toFloat',
  'id',
];
const textFunctions = ['toUpper', 'toLower', 'trim', 'left', 'right', 'substring', 'replace', 'reverse', 'toString', 'type', 'elementId'];

const items = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i));

/** Parameters of the largest size that a caller may send. */
export const largeParameters = new Map<string, CypherValue>([
  ['text', 'x'.repeat(900_000)],
  ['commas', 'a,'.repeat(100_000)],
  ['list', items(40_000)],
  ['texts', items(20_000).map(String)],
  ['lists', items(2_000).map(i => [i, [i]])],
  ['map', new Map(items(20_000).map(i => [`name ${i}`, i]))],
]);
const parametersOf: Partial<Record<Kind, readonly string[]>> = { text: ['$text', '$commas'], list: ['$list', '$texts', '$lists'], map: ['$map'] }; // prettier-ignore

/** Makes random queries from the grammar, as nested and large as allowed. Most have the right types, so that they run. */
export class WholeQueries {
  private named = 0;
  /** The levels of nesting that are left. `left` is the number of expressions that are left. */
  private depth = 0;
  private left = 0;

  constructor(private readonly dice: Dice) {}

  next(): string {
    const { dice } = this;
    this.named = 0;
    this.depth = dice.of([4, 8, 8, 16, 24]);
    this.left = dice.of([10, 30, 80, 250]);
    const parts = dice.chance(0.08) ? dice.between(2, 4) : 1;
    return Array.from({ length: parts }, () => this.single([], parts > 1)).join(dice.chance(0.5) ? ' UNION ' : ' UNION ALL ');
  }

  private single(outer: Variables, isPart: boolean, ending: 'return' | 'one column' | 'any' = 'return'): string {
    const { dice } = this;
    let scope = outer;
    let text = '';
    const clauses = dice.between(outer.length === 0 ? 1 : 0, outer.length === 0 ? 5 : 2);
    for (let i = 0; i < clauses; i++) {
      const [clause, after] = this.clause(scope, outer);
      text += `${clause} `;
      scope = after;
    }
    if (ending === 'any' && dice.chance(0.4) && /^(MATCH|UNWIND)/.test(text)) return text;
    const names = isPart || ending === 'one column' ? ['c1'] : Array.from({ length: dice.between(1, 4) }, (_, i) => `c${i}`);
    return text + this.projection('RETURN', scope, names.map(name => [name, dice.of(kinds)] as const)); // prettier-ignore
  }

  private clause(scope: Variables, outer: Variables): [string, Variables] {
    const { dice } = this;
    const choice = dice.below(10);
    if (choice < 5) return this.match(scope);
    if (choice < 8) {
      const name = this.name();
      return [`UNWIND ${this.listToUnwind(scope)} AS ${name}`, [...scope, [name, 'number']]];
    }
    const own = dice.many(3, () => [this.name(), dice.of(kinds)] as const);
    if (own.length === 0 && scope.length === 0) return this.match(scope);
    const kept = scope.filter(() => dice.chance(0.7));
    if (own.length === 0 && kept.length === 0) return [`WITH ${scope.map(([name]) => name).join(', ')}`, scope];
    const items = kept.map(([name]) => name);
    const text = this.projection('WITH', scope, own, items);
    const where = dice.chance(0.4) ? ` WHERE ${this.of('boolean', [...kept, ...own])}` : '';
    // Inside a subquery, the variables of the outer query are visible after a WITH too.
    return [text + where, [...new Map([...outer, ...kept, ...own]).entries()].filter(([name]) => items.includes(name) || own.some(([o]) => o === name))]; // prettier-ignore
  }

  private match(scope: Variables): [string, Variables] {
    const { dice } = this;
    let after = [...scope];
    const patterns = Array.from({ length: dice.chance(0.25) ? 2 : 1 }, () => {
      const [text, own] = this.pattern(after);
      after = [...after, ...own];
      return text;
    });
    const where = dice.chance(0.5) ? ` WHERE ${this.of('boolean', after)}` : '';
    return [`${dice.chance(0.2) ? 'OPTIONAL ' : ''}MATCH ${patterns.join(', ')}${where}`, after];
  }

  private pattern(scope: Variables, isNamed = true, leastEdges = 0): [string, Variables] {
    const { dice } = this;
    const own: (readonly [string, Kind])[] = [];
    const declare = (kind: Kind): string => {
      if (!isNamed || dice.chance(0.3)) return '';
      const known = scope.filter(each => each[1] === kind && kind === 'node');
      if (known.length > 0 && dice.chance(0.4)) return dice.of(known)[0];
      const name = this.name();
      own.push([name, kind]);
      return name;
    };
    const node = () => `(${declare('node')}${dice.chance(0.5) ? `:${dice.of(labels)}` : ''}${this.propertyMap(scope)})`;
    const edge = (length: string) => {
      const inner = `${declare(length === '' ? 'edge' : 'edges')}${dice.chance(0.6) ? `:${dice.of(types)}` : ''}${length}`;
      return dice.of([`-[${inner}]->`, `<-[${inner}]-`, `-[${inner}]-`]);
    };
    if (isNamed && dice.chance(0.08)) {
      const [a, b, p] = [this.name(), this.name(), this.name()];
      const function_ = dice.of(['shortestPath', 'allShortestPaths']);
      return [`(${a}:A {x: ${dice.below(50)}}), (${b}:B), ${p} = ${function_}((${a})-[:R*]-(${b}))`, [[a, 'node'], [b, 'node'], [p, 'path']]]; // prettier-ignore
    }
    let text = node();
    for (let i = Math.max(leastEdges, dice.of([0, 1, 1, 1, 2, 3])); i > 0; i--)
      text += edge(dice.of(['', '', '', '', '*', '*1..3', '*0..2', '*2..'])) + node();
    if (isNamed && dice.chance(0.25)) {
      const name = this.name();
      own.push([name, 'path']);
      text = `${name} = ${text}`;
    }
    return [text, own];
  }

  private propertyMap(scope: Variables): string {
    const { dice } = this;
    if (!dice.chance(0.2)) return '';
    const [name, kind] = dice.of(properties);
    return ` {${name}: ${dice.chance(0.7) ? this.literal(kind) : this.of(kind, scope)}}`;
  }

  private projection(word: string, scope: Variables, own: Variables, kept: readonly string[] = []): string {
    const { dice } = this;
    const groups = dice.chance(0.35);
    const columns = own.map(([name, kind]) => `${groups && dice.chance(0.6) ? this.aggregate(scope) : this.of(kind, scope)} AS ${name}`);
    const names = [...kept, ...own.map(([name]) => name)];
    let text = `${word} ${dice.chance(0.15) ? 'DISTINCT ' : ''}${[...kept, ...columns].join(', ')}`;
    if (dice.chance(0.25)) text += ` ORDER BY ${dice.of(names)}${dice.chance(0.3) ? ' DESC' : ''}`;
    if (dice.chance(0.1)) text += ` SKIP ${dice.below(3)}`;
    if (dice.chance(0.2)) text += ` LIMIT ${dice.of([0, 1, 10, 5_000])}`;
    return text;
  }

  private aggregate(scope: Variables): string {
    const { dice } = this;
    const distinct = dice.chance(0.3) ? 'DISTINCT ' : '';
    const function_ = dice.of(['count', 'collect', 'collect', 'min', 'max', 'sum', 'avg', 'stDev', 'percentileCont']);
    if (function_ === 'count' && dice.chance(0.4)) return 'count(*)';
    if (function_ === 'percentileCont') return `percentileCont(${this.of('number', scope)}, 0.5)`;
    const value = ['sum', 'avg', 'stDev'].includes(function_) ? this.of('number', scope) : this.any(scope);
    return `${function_}(${distinct}${value})`;
  }

  private listToUnwind(scope: Variables): string {
    const { dice } = this;
    const length = dice.of([3, 50, 2_000, 100_000, 3_000_000]);
    return dice.chance(0.6) ? `range(1, ${length})` : this.of('list', scope);
  }

  private any(scope: Variables): string {
    return this.dice.chance(0.3) && scope.length > 0 ? this.dice.of(scope)[0] : this.of(this.dice.of(kinds), scope);
  }

  /** An expression that usually has the given kind. */
  private of(kind: Kind, scope: Variables): string {
    const { dice } = this;
    this.left -= 1;
    if (this.depth <= 0 || this.left <= 0 || dice.chance(0.2)) return this.leaf(kind, scope);
    this.depth -= 1;
    try {
      return dice.chance(0.15) ? this.nested(kind, scope) : this.inner(kind, scope);
    } finally {
      this.depth += 1;
    }
  }

  private leaf(kind: Kind, scope: Variables): string {
    const { dice } = this;
    const known = scope.filter(each => each[1] === kind);
    if (known.length > 0 && dice.chance(0.5)) return dice.of(known)[0];
    const elements = scope.filter(each => each[1] === 'node' || each[1] === 'edge');
    const property = properties.find(each => each[1] === kind);
    if (elements.length > 0 && property && dice.chance(0.5)) return `${dice.of(elements)[0]}.${property[0]}`;
    const large = parametersOf[kind];
    return large && dice.chance(0.3) ? dice.of(large) : this.literal(kind);
  }

  private literal(kind: Kind): string {
    const { dice } = this;
    if (dice.chance(0.03)) return 'null';
    switch (kind) {
      case 'number':
        return dice.of(['0', '1', '2', '7', '1.5', '1e300', '9223372036854775807', String(dice.below(100))]);
      case 'text':
        return dice.of(["''", "'a'", "'abc'", "'😀汉'", "'2024-05-01'", "','"]);
      case 'boolean':
        return dice.of(['true', 'false']);
      case 'list':
        return dice.of(['[]', '[1, 2, 3]', "['a', null, 1.5]", '[[1], [2]]', 'range(1, 100)', 'range(1, 100000)']);
      case 'map':
        return dice.of(['{}', '{a: 1}', "{a: {b: 'c'}, d: [1]}"]);
      case 'time':
        return dice.of(["date('2024-05-01')", "datetime('2024-05-01T10:00:00+08:00')", "duration('P1M2DT3H')", "localtime('12:30')", 'datetime()']); // prettier-ignore
      default:
        return 'null';
    }
  }

  /** Makes an expression of the kind from a construct that fits every kind, such as CASE or `coalesce`. */
  private nested(kind: Kind, scope: Variables): string {
    const { dice } = this;
    const inner = () => this.of(kind, scope);
    switch (dice.below(8)) {
      case 0:
        return `CASE ${this.any(scope)} WHEN ${this.any(scope)} THEN ${inner()} ELSE ${inner()} END`;
      case 1:
        return `CASE WHEN ${this.of('boolean', scope)} THEN ${inner()} ELSE ${inner()} END`;
      case 2:
        return `coalesce(${inner()}, ${inner()})`;
      case 3: {
        const [sum, item] = [this.name(), this.name()];
        const own = [...scope, [sum, kind], [item, 'number']] as const;
        return `reduce(${sum} = ${inner()}, ${item} IN ${this.of('list', scope)} | ${this.of(kind, own)})`;
      }
      case 4:
        return `[${inner()}, ${inner()}][${dice.below(2)}]`;
      case 5:
        return `head([${this.name()} IN [1] | ${inner()}])`;
      case 6:
        return `head(COLLECT { ${this.single(scope, false, 'one column')} })`;
      default:
        return `{a: ${inner()}}.a`;
    }
  }

  private inner(kind: Kind, scope: Variables): string {
    const { dice } = this;
    const [number, text, list] = [() => this.of('number', scope), () => this.of('text', scope), () => this.of('list', scope)];
    const elements = scope.filter(each => each[1] === 'node' || each[1] === 'path');
    const call = (name: string) => {
      const { least, most } = scalarFunctions[name.toLowerCase()] ?? { least: 1, most: 1 };
      const argument = (i: number) => (i > 0 && name !== 'replace' && name !== 'split' ? number() : textFunctions.includes(name) || name === 'split' ? text() : name === 'size' ? dice.of([list, text])() : number()); // prettier-ignore
      return `${name}(${Array.from({ length: dice.between(least, Math.min(most, 3)) }, (_, i) => argument(i)).join(', ')})`;
    };
    switch (kind) {
      case 'number':
        switch (dice.below(4)) {
          case 0:
            return `(${number()} ${dice.of(['+', '-', '*', '/', '%', '^'])} ${number()})`;
          case 1:
            return `COUNT { ${this.single(scope, false, 'any')} }`;
          case 2:
            return `size(${dice.of([list, text])()})`;
          default:
            return call(dice.of(numberFunctions));
        }
      case 'text':
        return dice.of([
          () => `(${text()} + ${dice.of([text, number])()})`,
          () => call(dice.of(textFunctions)),
          () => `toString(${number()})`,
        ])();
      case 'boolean': {
        const boolean = () => this.of('boolean', scope);
        return dice.of([
          () => `(${boolean()} ${dice.of(['AND', 'OR', 'XOR'])} ${boolean()})`,
          () => `NOT (${boolean()})`,
          () => `(${number()} ${dice.of(['<', '<=', '>', '>=', '=', '<>'])} ${number()})`,
          () => `(${text()} ${dice.of(['CONTAINS', 'STARTS WITH', 'ENDS WITH', '=', '<'])} ${text()})`,
          () => `(${this.any(scope)} IN ${list()})`,
          () => `(${list()} ${dice.of(['=', '<>', '<'])} ${list()})`,
          () => `(${this.any(scope)} IS ${dice.of(['', 'NOT '])}NULL)`,
          () => `${dice.of(['all', 'any', 'none', 'single'])}(q IN ${list()} WHERE ${this.of('boolean', [...scope, ['q', 'number']])})`,
          () => `EXISTS { ${this.single(scope, false, 'any')} }`,
          () => (elements[0]?.[1] === 'node' ? `(${elements[0][0]})--()` : boolean()),
          () => `(${this.of('time', scope)} ${dice.of(['<', '=', '>'])} ${this.of('time', scope)})`,
        ])();
      }
      case 'list': {
        const item = this.name();
        const own = [...scope, [item, 'number']] as const;
        return dice.of([
          () => `[${item} IN ${list()}${dice.chance(0.5) ? ` WHERE ${this.of('boolean', own)}` : ''} | ${this.any(own)}]`,
          () => `(${list()} + ${dice.of([list, number])()})`,
          () => `${list()}[${number()}..${number()}]`,
          () => `[${this.any(scope)}, ${this.any(scope)}]`,
          () => `COLLECT { ${this.single(scope, false, 'one column')} }`,
          () => `range(1, ${dice.of(['10', '1000', '120000'])})`,
          () => `split(${text()}, ${text()})`,
          () => `[${this.pattern(scope, false, 1)[0]} | ${this.any(scope)}]`,
          () => (elements.length > 0 && elements[0]![1] === 'path' ? `${dice.of(['nodes', 'relationships'])}(${elements[0]![0]})` : call(dice.of(listFunctions))), // prettier-ignore
        ])();
      }
      case 'map':
        return `{a: ${this.any(scope)}, b: ${this.any(scope)}}`;
      case 'time':
        return dice.of([
          () => `(${this.of('time', scope)} + duration({days: ${number()}}))`,
          () => `${dice.of(temporal)}(${this.literal('text')})`,
          () => `date({year: 2024, month: ${dice.between(1, 12)}})`,
        ])();
      default:
        return this.leaf(kind, scope);
    }
  }

  private name(): string {
    return `v${this.named++}`;
  }
}
