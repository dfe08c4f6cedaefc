import { isChinese, wordsOf } from '../../text/key-names.js';
import { trimEndOf } from '../../text/trim-zeros.js';

/** A name in the manner of edge types: `ORDERS_CUSTOMER`. Chinese stays as it is. */
export function typeName(...parts: string[]): string {
  return parts
    .map(part => (isChinese(part) ? part.trim() : wordsOf(part).join('_').toUpperCase()))
    .filter(part => part !== '')
    .join('_');
}

/** Gives every name once, with a number behind those that would come again, and cuts long ones. */
export class UniqueNames {
  private readonly taken = new Set<string>();

  /** @param most code points */
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

/** A name for `id`, from any name. */
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
