import { isChinese, wordsOf } from '../../text/key-names.js';
import { trimEndOf } from '../../text/trim-zeros.js';

/** A name in the style of edge types, such as `ORDERS_CUSTOMER`. Chinese words stay as they are. */
export function typeName(...parts: string[]): string {
  return parts
    .map(part => (isChinese(part) ? part.trim() : wordsOf(part).join('_').toUpperCase()))
    .filter(part => part !== '')
    .join('_');
}

/** Makes names unique and short enough: a name that was given before gets a number at its end, and a long name is cut. */
export class UniqueNames {
  private readonly taken = new Set<string>();

  /**
   * @param most the most code points of a name
   * @param fallback the name in place of an empty name
   */
  constructor(
    private readonly most: number,
    private readonly fallback: string,
  ) {}

  take(name: string): string {
    const wanted = name === '' ? this.fallback : name;
    let given = cut(wanted, this.most);
    for (let number = 2; this.taken.has(given); number++) given = `${cut(wanted, this.most - String(number).length - 1)}_${number}`;
    this.taken.add(given);
    return given;
  }
}

/** A handle for the key `id` of a node, made from any name. */
export function handleOf(name: string): string {
  const plain = wordsOf(name)
    .join('_')
    .replace(/[^a-z0-9_]+/g, '');
  const handle = trimEndOf(plain, '_').replace(/^_+/, '');
  return /^\d/.test(handle) ? `n${handle}` : handle;
}

function cut(name: string, most: number): string {
  return [...name].slice(0, most).join('');
}
