import { mostSought } from '../sql/most-sought.js';
import { constantText } from './constant-text.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** The most elements of a list that is compared with each element of another. */
const mostElements = 100;

/** Where the texts stand that are looked for in the first argument. */
const soughtAt: Readonly<Record<string, readonly number[]>> = {
  strpos: [1],
  position: [1],
  split_part: [1],
  string_to_array: [1],
  replace: [1],
  btrim: [1],
  ltrim: [1],
  rtrim: [1],
  translate: [1],
};
const likes: ReadonlySet<string | null | undefined> = new Set(['~~', '!~~', '~~*', '!~~*']);
const containments: ReadonlySet<string | null | undefined> = new Set(['@>', '<@', '&&', '?|', '?&']);

/** Of a text and what is looked for in it, one is short. @throws Refusal */
export function checkSoughtOfCall(name: string, node: NodeFields, offset: number | undefined): void {
  const [text, ...rest] = (node.args ?? []) as unknown[];
  const places = Object.hasOwn(soughtAt, name) ? soughtAt[name]! : [];
  const isLong = places.some(place => rest[place - 1] !== undefined && !isShort(rest[place - 1]));
  if (isLong && !isShort(text)) throw new Refusal('function', name, offset, shortTexts);
}

/** The same of LIKE, and of lists and documents of which one contains the other. @throws Refusal */
export function checkSoughtOfOperator(node: NodeFields, offset: number | undefined): void {
  const operator = nameParts(node.name).at(-1);
  const isOfList = node.kind === 'AEXPR_OP_ANY' || node.kind === 'AEXPR_OP_ALL';
  if (likes.has(operator) && !(isOfList ? isShortList(node.rexpr, isShort) : isShort(node.lexpr) || isShort(node.rexpr)))
    throw new Refusal('operator', 'LIKE', offset, isOfList ? shortLists : shortTexts);
  if (containments.has(operator) && ![node.lexpr, node.rexpr].some(side => isShortList(side, () => true)))
    throw new Refusal('operator', operator ?? undefined, offset, shortLists);
  // `document - list` looks for each part of the one in the other.
  if (operator === '-' && isList(node.rexpr) && !isShortList(node.rexpr, () => true))
    throw new Refusal('operator', '-', offset, shortLists);
}

const shortTexts = {
  zh: `两个文本中须有一个是至多 ${mostSought} 个字符的常量，或写作 left(…, ${mostSought})`,
  en: `one of its texts must be a constant of at most ${mostSought} characters, or written as left(…, ${mostSought})`,
};
const shortLists = {
  zh: `一边须是写出的列表，至多 ${mostElements} 项，每个文本至多 ${mostSought} 个字符`,
  en: `one side must be a list that is written there, of at most ${mostElements} elements and ${mostSought} characters each`,
};

function isShort(node: unknown): boolean {
  return mostCharacters(node) <= mostSought;
}

/** Whether an expression is seen to be a list. Only its type tells of a column. */
function isList(node: unknown): boolean {
  const { TypeCast: cast, A_ArrayExpr: list, FuncCall: call } = (node ?? {}) as Record<string, NodeFields | undefined>;
  const ofLists = /^(?:string_to_array|regexp_match|array_(?:append|cat|prepend|remove))$/;
  return (
    Boolean(list) ||
    (cast?.typeName as NodeFields | undefined)?.arrayBounds !== undefined ||
    ofLists.test(nameParts(call?.funcname ?? []).at(-1) ?? '')
  );
}

/** A constant such as `'{a,b}'`, or a list of so many elements. */
function isShortList(node: unknown, isFitting: (element: unknown) => boolean): boolean {
  const { TypeCast: cast, A_ArrayExpr: list } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (cast) return isShortList(cast.arg, isFitting);
  const elements = (list?.elements ?? []) as unknown[];
  return list ? elements.length <= mostElements && elements.every(isFitting) : isShort(node);
}

/** The most characters that the value of an expression may have, as far as it says so itself. */
function mostCharacters(node: unknown): number {
  const { A_Const: constant, TypeCast: cast, FuncCall: call, A_Expr: operation } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (constant) return constantText(node)?.length ?? 0;
  if (cast) return mostCharacters(cast.arg);
  if (operation && operation.kind === 'AEXPR_OP' && nameParts(operation.name).at(-1) === '||')
    return mostCharacters(operation.lexpr) + mostCharacters(operation.rexpr);
  const args = (call?.args ?? []) as unknown[];
  switch (nameParts(call?.funcname ?? []).at(-1)) {
    case 'left':
    case 'right':
      return wholeNumber(args[1]);
    case 'lower':
    case 'upper':
      return mostCharacters(args[0]);
    case 'like_escape':
      return 2 * mostCharacters(args[0]);
    default:
      return Infinity;
  }
}

/** Infinity for anything but a whole number that is written there and is not negative. */
function wholeNumber(node: unknown): number {
  const { ival } = ((node ?? {}) as { A_Const?: { ival?: { ival?: number } } }).A_Const ?? {};
  const number = ival ? (ival.ival ?? 0) : -1;
  return number < 0 ? Infinity : number;
}
