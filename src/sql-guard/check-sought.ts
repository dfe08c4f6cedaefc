import { mostSought } from '../sql/most-sought.js';
import { constantText } from './constant-text.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/**
 * Maximum elements of a list, each of which is compared with each element of another list. `mostListed` is the maximum number of characters
 * of such a list that is written as one constant, such as `'{a,b}'`.
 */
const mostElements = 100;
const mostListed = 2_000;

/** Functions that look for their second argument, or for each of its characters, in their first argument. */
const seeking: ReadonlySet<string> = new Set(['strpos', 'position', 'split_part', 'string_to_array', 'replace', 'btrim', 'ltrim', 'rtrim', 'translate']); // prettier-ignore
/** Functions that read or write by a format. For each part of the format they go through the whole rest of the text. */
const parsing: ReadonlySet<string> = new Set(['to_date', 'to_timestamp', 'to_number', 'to_char']);
export const mostFormat = 100;
const likes: ReadonlySet<string | null | undefined> = new Set(['~~', '!~~', '~~*', '!~~*']);
/** Operators on lists and documents that look for each element of one operand in the other operand. */
const containing: ReadonlySet<string | null | undefined> = new Set(['@>', '<@', '&&', '?|', '?&']);
const comparing: ReadonlySet<string | null | undefined> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** Characters of a part of a format that are counted as one pass: TMMonth. */
const lengthOfField = 7;
/** Functions that look for each character of their first argument in their second. */
const ofCharacters: ReadonlySet<string> = new Set(['btrim', 'ltrim', 'rtrim', 'translate']);

/** How often a call or an operator goes through a whole text or list, in comparison with an ordinary step, which does so once. */
export function passesOf(type: string, node: NodeFields): number {
  if (type === 'A_Expr') return containing.has(nameParts(node.name).at(-1)) ? Math.min(...[node.lexpr, node.rexpr].map(elementsOf)) : 0;
  const [text, sought] = (node.args ?? []) as unknown[];
  const name = type === 'FuncCall' ? nameParts(node.funcname).at(-1)! : '';
  if (parsing.has(name)) return Math.ceil((constantText(sought)?.length ?? 0) / lengthOfField);
  if (name.startsWith('jsonb_path_')) return /\bdatetime\s*\(\s*"/i.test(constantText(sought) ?? '') ? mostFormat / lengthOfField : 0;
  return ofCharacters.has(name) && sought !== undefined && !isShort(text) ? Math.min(mostSought, mostCharacters(sought)) : 0;
}

/** The most elements of a list that is written there. */
function elementsOf(node: unknown): number {
  const { TypeCast: cast, A_ArrayExpr: list } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (cast) return elementsOf(cast.arg);
  return list ? ((list.elements ?? []) as unknown[]).length : Math.min(mostElements, constantText(node)?.split(',').length ?? mostElements);
}

/** Refuses a call that looks for one text in another, if both may be long. @throws Refusal */
export function checkSoughtOfCall(name: string, node: NodeFields, offset: number | undefined): void {
  const [text, sought] = (node.args ?? []) as unknown[];
  if (parsing.has(name) && sought !== undefined && (constantText(sought)?.length ?? Infinity) > mostFormat)
    throw new Refusal('function', name, offset, writtenFormat);
  if (seeking.has(name) && sought !== undefined && !isShort(sought) && !isShort(text))
    throw new Refusal('function', name, offset, shortTexts);
}

/**
 * Refuses LIKE of two texts that may both be long, LIKE with a list of patterns that may be long, and a comparison of two lists that may
 * both be long. @throws Refusal
 */
export function checkSoughtOfOperator(node: NodeFields, offset: number | undefined): void {
  const operator = nameParts(node.name).at(-1);
  const isOfEach = node.kind === 'AEXPR_OP_ANY' || node.kind === 'AEXPR_OP_ALL';
  if (likes.has(operator) && !(isOfEach ? isShortList(node.rexpr) : isShort(node.lexpr) || isShort(node.rexpr)))
    throw new Refusal('operator', 'LIKE', offset, isOfEach ? shortLists : shortTexts);
  if (containing.has(operator) && ![node.lexpr, node.rexpr].some(isShortList))
    throw new Refusal('operator', operator ?? undefined, offset, shortLists);
  // `-` removes the keys in a list from a document. The tree does not show that a column is a list: `prepare-server.ts` closes the operator.
  if (operator === '-' && isList(node.rexpr)) throw new Refusal('operator', '-', offset, keyByKey);
}

/** Refuses `a LIKE ANY (SELECT …)`, because the tree does not show how long the texts of a sub-select are. @throws Refusal */
export function checkSoughtOfSubselect(node: NodeFields, offset: number | undefined): void {
  const operator = nameParts(node.operName ?? []).at(-1);
  if (node.operName !== undefined && !comparing.has(operator)) throw new Refusal('operator', operator ?? undefined, offset, shortLists);
}

const shortTexts = {
  zh: `两个文本中须有一个至多 ${mostSought} 个字符：常量，或 left(…, 100) 之类`,
  en: `one of its texts must have at most ${mostSought} characters: a constant, or something like left(…, 100)`,
};
const shortLists = {
  zh: `一边须是写出的列表：至多 ${mostElements} 项，每项至多 ${mostSought} 个字符；单个值请用 = ANY (…)`,
  en: `one side must be a list that is written there, of at most ${mostElements} elements of ${mostSought} characters; for a single value use = ANY (…)`,
};

const writtenFormat = {
  zh: `格式须是写出的常量，至多 ${mostFormat} 个字符，如 'YYYY-MM-DD'`,
  en: `its format must be a constant of at most ${mostFormat} characters, such as 'YYYY-MM-DD'`,
};

const keyByKey = {
  zh: "请逐个去掉键：d - 'a' - 'b'",
  en: "remove one key after the other: d - 'a' - 'b'",
};

function isShort(node: unknown): boolean {
  return mostCharacters(node) <= mostSought;
}

/** Whether the form of an expression shows that it is a list. */
function isList(node: unknown): boolean {
  const { TypeCast: cast, A_ArrayExpr: list, FuncCall: call } = (node ?? {}) as Record<string, NodeFields | undefined>;
  const isArray = (cast?.typeName as NodeFields | undefined)?.arrayBounds !== undefined;
  const ofLists = /^(?:string_to_array|regexp_match|array_(?:append|cat|prepend|remove))$/;
  return Boolean(list) || isArray || ofLists.test(nameParts(call?.funcname ?? []).at(-1) ?? '');
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

/** Maximum characters that the text of an expression may have, derived from its form; Infinity if the form sets no limit. */
function mostCharacters(node: unknown): number {
  const fields = (node ?? {}) as Record<string, NodeFields | undefined>;
  const { A_Const: constant, TypeCast: cast, FuncCall: call, A_Expr: operation, CoalesceExpr: choice, CaseExpr: cases } = fields;
  if (constant) return constant.isnull ? 0 : (constantText(node)?.length ?? Infinity);
  // A cast to another type than text may spell the value longer: `1e9` as a number.
  if (cast) return nameParts((cast.typeName as NodeFields).names).at(-1) === 'text' ? mostCharacters(cast.arg) : Infinity;
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
function wholeNumber(node: unknown): number {
  const { ival } = ((node ?? {}) as { A_Const?: { ival?: { ival?: number } } }).A_Const ?? {};
  const number = ival ? (ival.ival ?? 0) : -1;
  return number < 0 ? Infinity : number;
}
