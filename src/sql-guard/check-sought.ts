import { mostSought } from '../sql/most-sought.js';
import { scalarFunctions } from './allow-lists.js';
import { constantText } from './constant-text.js';
import { isShort, isShortList, mostCharacters, mostElements } from './most-characters.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** Maximum characters of a format of `to_char` and the like, which PostgreSQL reads again for each value. */
export const mostFormat = 100;
export const likes: ReadonlySet<string | null | undefined> = new Set(['~~', '!~~', '~~*', '!~~*']);
/** Operators on lists and documents that look for each element of one operand in the other operand. */
export const containing: ReadonlySet<string | null | undefined> = new Set(['@>', '<@', '&&', '?|', '?&']);
/** Maximum characters of a text that is cast to jsonb. PostgreSQL sorts the keys of an object in a time that may grow with their square. */
const mostOfDocument = 100_000;
const comparing: ReadonlySet<string | null | undefined> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** Whether an operator compares with each element of a list: `a LIKE ANY (…)`. */
export function isOfEach({ kind }: NodeFields): boolean {
  return kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL';
}

function isDocument(typeName: unknown): boolean {
  return nameParts((typeName as NodeFields).names).at(-1) === 'jsonb';
}

/** Refuses a cast to jsonb of a text that may be long. @throws Refusal */
export function checkDocument(node: NodeFields, offset: number | undefined): void {
  if (isDocument(node.typeName) && mostCharacters(node.arg) > mostOfDocument) throw new Refusal('type', 'jsonb', offset, shortDocument);
}

/** Refuses a call that looks for one text in another, if both may be long. @throws Refusal */
export function checkSoughtOfCall(name: string, node: NodeFields, offset: number | undefined): void {
  const [text, sought] = (node.args ?? []) as unknown[];
  const { by, perSought } = scalarFunctions.get(name) ?? {};
  if (by === 'format' && sought !== undefined && (constantText(sought)?.length ?? Infinity) > mostFormat)
    throw new Refusal('function', name, offset, writtenFormat);
  if (perSought !== undefined && sought !== undefined && !isShort(sought) && !isShort(text))
    throw new Refusal('function', name, offset, shortTexts);
}

/**
 * Refuses LIKE of two texts that may both be long, LIKE with a list of patterns that may be long, and a comparison of two lists that may
 * both be long. @throws Refusal
 */
export function checkSoughtOfOperator(node: NodeFields, offset: number | undefined): void {
  const operator = nameParts(node.name).at(-1);
  if (likes.has(operator) && !(isOfEach(node) ? isShortList(node.rexpr) : isShort(node.lexpr) || isShort(node.rexpr)))
    throw new Refusal('operator', 'LIKE', offset, isOfEach(node) ? shortLists : shortTexts);
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

const shortDocument = {
  zh: `它的文本须至多 ${mostOfDocument} 个字符，如 left(…, ${mostOfDocument})::jsonb；更长的文本用 ::json 读取，jsonb 类型的列不必转换`,
  en: `its text must have at most ${mostOfDocument} characters, such as left(…, ${mostOfDocument})::jsonb; ::json reads longer ones, and a column of type jsonb needs no cast`,
};

const writtenFormat = {
  zh: `格式须是写出的常量，至多 ${mostFormat} 个字符，如 'YYYY-MM-DD'`,
  en: `its format must be a constant of at most ${mostFormat} characters, such as 'YYYY-MM-DD'`,
};

const keyByKey = {
  zh: "请逐个去掉键：d - 'a' - 'b'",
  en: "remove one key after the other: d - 'a' - 'b'",
};

/** Whether the form of an expression shows that it is a list. */
function isList(node: unknown): boolean {
  const { TypeCast: cast, A_ArrayExpr: list, FuncCall: call } = (node ?? {}) as Record<string, NodeFields | undefined>;
  const isArray = (cast?.typeName as NodeFields | undefined)?.arrayBounds !== undefined;
  const ofLists = /^(?:string_to_array|regexp_match|array_(?:append|cat|prepend|remove))$/;
  return Boolean(list) || isArray || ofLists.test(nameParts(call?.funcname ?? []).at(-1) ?? '');
}
