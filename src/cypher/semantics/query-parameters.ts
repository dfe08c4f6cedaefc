import { InvalidParameterError, MissingParameterError, type TextPlace } from '../syntax/cypher.errors.js';
import { ParametersTooLargeError } from '../too-large.errors.js';
import { type CypherMap, type CypherValue, greatestInteger, isList, isMap, leastInteger } from '../values/cypher-value.js';
import { type QueryWarning } from './typed-tree.js';

const maxNesting = 32;

/**
 * Maximum size of the parameters in one query, in characters of JSON. A parameter counts at every place where the query names it, because
 * its value is looked through at each of these places.
 */
export const maxUsedSize = 4_000_000;

/** The caller's values for $parameters. A value is checked when it is first read. Values that were not read can be listed. */
export class QueryParameters {
  private readonly used = new Map<string, number>();
  private usedSize = 0;

  /** @param values as `readJsonParameters` reads them */
  constructor(
    private readonly values: CypherMap,
    private readonly place: (position: number) => TextPlace | null,
  ) {}

  read(name: string, position: number): CypherValue {
    const value = this.values.get(name);
    if (value === undefined) throw new MissingParameterError(name, this.place(position));
    // The size is kept, so that a text of a megabyte is checked once, however often the query names the parameter.
    const size = this.used.get(name) ?? this.checked(value, name, position, 0);
    this.used.set(name, size);
    this.usedSize += size;
    if (this.usedSize > maxUsedSize) throw new ParametersTooLargeError(name, maxUsedSize, this.place(position));
    return value;
  }

  unused(): QueryWarning[] {
    return [...this.values.keys()]
      .filter(name => !this.used.has(name))
      .map(name => ({
        code: 'unused_parameter',
        text: { zh: `参数 $${name} 没有用到`, en: `The parameter $${name} is not used` },
        context: { name },
      }));
  }

  /** Checks a value of a parameter. Returns its approximate length as JSON, which is compared with the limit. */
  private checked(value: CypherValue, name: string, position: number, depth: number): number {
    const invalid = (zh: string, en: string) => new InvalidParameterError(name, { zh, en }, this.place(position));
    // PostgreSQL can store neither NUL nor half a surrogate pair in a text.
    const check = (text: string) => {
      if (/[\0\p{Surrogate}]/u.test(text)) throw invalid('含有 NUL 或不成对的代理项', 'holds NUL or half a surrogate pair');
      return text.length + 2;
    };
    const sum = (items: Iterable<CypherValue>, own: number) => {
      let size = own + 2;
      for (const item of items) size += 1 + this.checked(item, name, position, depth + 1);
      return size;
    };
    if (depth > maxNesting) throw invalid(`嵌套超过 ${maxNesting} 层`, `nests deeper than ${maxNesting} levels`);
    if (typeof value === 'string') return check(value);
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('不是有限的数', 'is not a finite number');
    if (typeof value === 'bigint' && (value < leastInteger || value > greatestInteger))
      throw invalid('超出 64 位整数的范围', 'is beyond the integers of 64 bits');
    if (typeof value === 'bigint' || typeof value === 'number') return String(value).length;
    if (value === null || typeof value === 'boolean') return 5;
    if (isList(value)) return sum(value, 0);
    if (!isMap(value)) throw new Error('A parameter is a value of JSON');
    return sum(
      value.values(),
      [...value.keys()].reduce((size, key) => size + check(key) + 1, 0),
    );
  }
}
