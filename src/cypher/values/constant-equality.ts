import { type Constant, ExactNumber } from './constant.js';

/**
 * openCypher equality of constants has three values: a null inside a list or map makes an otherwise equal pair null. jsonb equality
 * has only two. Properties never hold nulls inside, so the difference shows only for constants.
 */
export function equalConstants(left: Constant, right: Constant): boolean | null {
  if (left === null || right === null) return null;
  if (left instanceof ExactNumber || right instanceof ExactNumber) {
    if (!(left instanceof ExactNumber && right instanceof ExactNumber)) return false;
    return left.integer && right.integer ? BigInt(left.text) === BigInt(right.text) : Number(left.text) === Number(right.text);
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return allOf(left.map((item, i) => equalConstants(item, right[i] ?? null)));
  }
  if (typeof left === 'object' && typeof right === 'object') {
    const names = Object.keys(left);
    if (names.length !== Object.keys(right).length || names.some(name => !Object.hasOwn(right, name))) return false;
    return allOf(names.map(name => equalConstants(left[name] ?? null, right[name] ?? null)));
  }
  return left === right;
}

/** `item IN list`, with three values. */
export function constantIn(item: Constant, list: Constant[]): boolean | null {
  const results = list.map(element => equalConstants(item, element));
  if (results.includes(true)) return true;
  return results.includes(null) ? null : false;
}

function allOf(results: (boolean | null)[]): boolean | null {
  if (results.includes(false)) return false;
  return results.includes(null) ? null : true;
}
