import { mostSought } from '../sql/most-sought.js';
import { constantText } from './constant-text.js';
import { nameParts, type NodeFields } from './walk-tree.js';

/**
 * Maximum elements of a list, each of which is compared with each element of another list. `mostListed` is the maximum number of characters
 * of such a list that is written as one constant, such as `'{a,b}'`.
 */
export const mostElements = 100;
const mostListed = 2_000;

/** Whether a text is so short by its form that steps over it count as nothing. */
export function isShort(node: unknown): boolean {
  return mostCharacters(node) <= mostSought;
}

/**
 * Whether an expression is a written list of few short elements, a list made from a short text, or a constant such as `'{a,b}'` or `'{"a":
 * 1}'`.
 */
export function isShortList(node: unknown): boolean {
  const { TypeCast: cast, A_ArrayExpr: list, FuncCall: call } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (cast) return isShortList(cast.arg);
  if (call) return nameParts(call.funcname).at(-1) === 'string_to_array' && isShort(((call.args ?? []) as unknown[])[0]);
  const elements = (list?.elements ?? []) as unknown[];
  if (list) return elements.length <= mostElements && elements.every(isShort);
  const text = constantText(node);
  return text !== null && text.length <= mostListed && text.split(',').length <= mostElements;
}

/** The most elements of a list that is written there. */
export function elementsOf(node: unknown): number {
  const { TypeCast: cast, A_ArrayExpr: list } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (cast) return elementsOf(cast.arg);
  return list ? ((list.elements ?? []) as unknown[]).length : Math.min(mostElements, constantText(node)?.split(',').length ?? mostElements);
}

/** The results of `mostCharacters`, which each level of an expression asks for. */
const known = new WeakMap<object, number>();

/** Maximum characters that the text of an expression may have, derived from its form; Infinity if the form sets no limit. */
export function mostCharacters(node: unknown): number {
  if (typeof node !== 'object' || node === null) return Infinity;
  const characters = known.get(node) ?? charactersByForm(node);
  known.set(node, characters);
  return characters;
}

function charactersByForm(node: object): number {
  const fields = node as Record<string, NodeFields | undefined>;
  const { A_Const: constant, TypeCast: cast, FuncCall: call, A_Expr: operation, CoalesceExpr: choice, CaseExpr: cases } = fields;
  if (constant) return constant.isnull ? 0 : (constantText(node)?.length ?? Infinity);
  // A cast to another type than text may spell the value longer: `1e9` as a number.
  if (cast) return /^(?:text|varchar)$/.test(nameParts((cast.typeName as NodeFields).names).at(-1)!) ? mostCharacters(cast.arg) : Infinity;
  if (choice) return Math.max(...((choice.args ?? []) as unknown[]).map(mostCharacters));
  if (cases) {
    const results = (cases.args as { CaseWhen: NodeFields }[]).map(({ CaseWhen: { result } }) => mostCharacters(result));
    return Math.max(cases.defresult === undefined ? 0 : mostCharacters(cases.defresult), ...results);
  }
  if (operation?.kind === 'AEXPR_OP' && nameParts(operation.name).at(-1) === '||')
    return mostCharacters(operation.lexpr) + mostCharacters(operation.rexpr);
  const args = (call?.args ?? []) as unknown[];
  switch (nameParts(call?.funcname ?? []).at(-1)) {
    case 'left':
    case 'right':
      return wholeNumber(args[1]);
    case 'substr':
    case 'substring':
      return wholeNumber(args[2]);
    case 'lower':
    case 'upper':
    case 'btrim':
    case 'ltrim':
    case 'rtrim':
      return mostCharacters(args[0]);
    case 'concat':
      return args.reduce<number>((sum, arg) => sum + mostCharacters(arg), 0);
    case 'like_escape':
      return 2 * mostCharacters(args[0]);
    default:
      return Infinity;
  }
}

/** The value of a constant that is a whole number and not negative; Infinity for any other expression. */
export function wholeNumber(node: unknown): number {
  const { ival } = ((node ?? {}) as { A_Const?: { ival?: { ival?: number } } }).A_Const ?? {};
  const number = ival ? (ival.ival ?? 0) : -1;
  return number < 0 ? Infinity : number;
}
