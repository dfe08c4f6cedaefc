import { InvalidParameterError, MissingParameterError, type TextPlace } from '../syntax/cypher.errors.js';
import { ParametersTooLargeError } from '../too-large.errors.js';
import { type Constant, ExactNumber, sizeOfConstant } from '../values/constant.js';
import { type QueryWarning } from './typed-tree.js';

const maxNesting = 32;

/**
 * The most that parameters may hold in one query, in characters of JSON, counted at every place where one is named: each
 * is looked through there.
 */
export const maxUsedSize = 4_000_000;

/** The caller's values for $parameters. A value is checked when it is first read, and the unread ones can be listed. */
export class QueryParameters {
  private readonly used = new Map<string, { value: Constant; size: number }>();
  private usedSize = 0;

  constructor(
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly place: (position: number) => TextPlace | null,
  ) {}

  read(name: string, position: number): Constant {
    if (!Object.hasOwn(this.values, name)) throw new MissingParameterError(name, this.place(position));
    // A text of a megabyte is checked once, however often it is named.
    const { value, size } = this.used.get(name) ?? this.look(name, position);
    this.used.set(name, { value, size });
    this.usedSize += size;
    if (this.usedSize > maxUsedSize) throw new ParametersTooLargeError(name, maxUsedSize, this.place(position));
    return value;
  }

  unused(): QueryWarning[] {
    return Object.keys(this.values)
      .filter(name => !this.used.has(name))
      .map(name => ({
        code: 'unused_parameter',
        text: { zh: `参数 $${name} 没有用到`, en: `The parameter $${name} is not used` },
        context: { name },
      }));
  }

  private look(name: string, position: number): { value: Constant; size: number } {
    const value = this.toConstant(this.values[name], name, position, 0);
    return { value, size: sizeOfConstant(value) };
  }

  private toConstant(value: unknown, name: string, position: number, depth: number): Constant {
    const invalid = (zh: string, en: string) => new InvalidParameterError(name, { zh, en }, this.place(position));
    if (depth > maxNesting) throw invalid(`嵌套超过 ${maxNesting} 层`, `nests deeper than ${maxNesting} levels`);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'bigint') return new ExactNumber(value.toString(), true);
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) throw invalid('不是有限的数', 'is not a finite number');
      return new ExactNumber(String(value), Number.isInteger(value));
    }
    if (typeof value === 'string') {
      // PostgreSQL can store neither in a text.
      if (/[\0\p{Surrogate}]/u.test(value)) throw invalid('含有 NUL 或不成对的代理项', 'holds NUL or half a surrogate pair');
      return value;
    }
    if (Array.isArray(value)) return value.map((item: unknown) => this.toConstant(item, name, position, depth + 1));
    if (typeof value !== 'object') throw invalid('不是 JSON 值', 'is not a JSON value');
    const map: Record<string, Constant> = Object.create(null) as Record<string, Constant>;
    for (const [key, inner] of Object.entries(value)) {
      if (/[\0\p{Surrogate}]/u.test(key)) throw invalid('含有 NUL 或不成对的代理项', 'holds NUL or half a surrogate pair');
      map[key] = this.toConstant(inner, name, position, depth + 1);
    }
    return map;
  }
}
