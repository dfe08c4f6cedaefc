import { mostSought } from '../sql/most-sought.js';
import { constantText, withoutCast } from './constant-text.js';
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
/** Functions that go through a whole text once. */
const reading: ReadonlySet<string> = new Set([
  ...['lower', 'upper', 'initcap', 'reverse', 'length', 'char_length', 'character_length', 'right', 'overlay', 'md5'],
  ...['regexp_replace', 'regexp_like', 'regexp_count', 'regexp_match', 'regexp_substr'],
]);
/** Maximum characters of a text that is cast to jsonb. PostgreSQL sorts the keys of an object in a time that may grow with their square. */
const mostOfDocument = 100_000;
const comparing: ReadonlySet<string | null | undefined> = new Set(['=', '<>', '!=', '<', '<=', '>', '>=']);

/** Characters of a part of a format that are counted as one pass: TMMonth. */
const lengthOfField = 7;
/** Functions that look for each character of their first argument in their second. */
const ofCharacters: ReadonlySet<string> = new Set(['btrim', 'ltrim', 'rtrim', 'translate']);

/**
 * Passes per character of a sought text at worst: PostgreSQL compares it at each place of the other text. 200 characters in 15.5 MB take
 * strpos 2 s and LIKE 6.6 s.
 */
const passesOfSought = 1 / 9;
const passesOfPattern = 0.4;
/** Passes that sorting the keys of the longest document takes at worst. */
const passesOfDocument = 2;
/** Passes that reading a list from a text takes. */
const passesOfArray = 4;

/** How often a step goes through a whole text or list. Steps that take much less than a pass over 16 MB count as none. */
export function passesOf(type: string, node: NodeFields): number {
  if (type === 'A_Expr') return passesOfOperator(node);
  if (type === 'TypeCast') return passesOfCast(node);
  const [text, sought] = (node.args ?? []) as unknown[];
  const name = type === 'FuncCall' ? nameParts(node.funcname).at(-1)! : '';
  if (parsing.has(name)) return Math.ceil((constantText(sought)?.length ?? 0) / lengthOfField);
  if (name.startsWith('jsonb_path_')) return passesOfPath(sought);
  if (isShort(text)) return 0;
  if (ofCharacters.has(name)) return sought === undefined ? 0 : Math.min(mostSought, mostCharacters(sought));
  return seeking.has(name) ? Math.ceil(passesOfSought * Math.min(mostSought, mostCharacters(sought))) : reading.has(name) ? 1 : 0;
}

function passesOfCast({ arg, typeName }: NodeFields): number {
  const { names, arrayBounds } = typeName as NodeFields;
  const { A_Const: constant, A_ArrayExpr: list } = (arg ?? {}) as Record<string, unknown>;
  if (constant ?? list) return 0;
  if (isDocument(typeName)) return passesOfDocument;
  if (isShort(arg)) return 0;
  return arrayBounds === undefined ? Number(nameParts(names).at(-1) === 'json') : passesOfArray;
}

function passesOfOperator(node: NodeFields): number {
  const { lexpr, rexpr } = node;
  const operator = nameParts(node.name).at(-1);
  if (containing.has(operator)) return Math.min(...[lexpr, rexpr].map(elementsOf));
  if (operator === '@?' || operator === '@@') return passesOfPath(rexpr);
  if (!likes.has(operator) || isShort(lexpr)) return 0;
  return Math.ceil(passesOfPattern * (isOfEach(node) ? charactersOfList(rexpr) : charactersOfPattern(rexpr)));
}

/** Whether an operator compares with each element of a list: `a LIKE ANY (…)`. */
function isOfEach({ kind }: NodeFields): boolean {
  return kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_OP_ALL';
}

/** The passes of the templates of `datetime("…")` in a path of jsonb. */
function passesOfPath(node: unknown): number {
  const templates = constantText(withoutCast(node))?.match(/\bdatetime\s*\(\s*"/gi) ?? [];
  return Math.ceil((templates.length * mostFormat) / lengthOfField);
}

/** The most characters of a pattern of LIKE; 0 for the start of a text, which is compared once. */
function charactersOfPattern(node: unknown): number {
  const text = constantText(node);
  return text !== null && !/%[^%]/.test(text) ? 0 : Math.min(mostSought, mostCharacters(node));
}

/** The most characters of all patterns in a list that `isShortList` admits. */
function charactersOfList(node: unknown): number {
  const { TypeCast: cast, A_ArrayExpr: list } = (node ?? {}) as Record<string, NodeFields | undefined>;
  if (cast) return charactersOfList(cast.arg);
  if (list) return ((list.elements ?? []) as unknown[]).reduce<number>((sum, each) => sum + charactersOfPattern(each), 0);
  return constantText(node)?.length ?? mostSought;
}

function isDocument(typeName: unknown): boolean {
  return nameParts((typeName as NodeFields).names).at(-1) === 'jsonb';
}

/** Refuses a cast to jsonb of a text that may be long. @throws Refusal */
export function checkDocument(node: NodeFields, offset: number | undefined): void {
  if (isDocument(node.typeName) && mostCharacters(node.arg) > mostOfDocument) throw new Refusal('type', 'jsonb', offset, shortDocument);
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
function wholeNumber(node: unknown): number {
  const { ival } = ((node ?? {}) as { A_Const?: { ival?: { ival?: number } } }).A_Const ?? {};
  const number = ival ? (ival.ival ?? 0) : -1;
  return number < 0 ? Infinity : number;
}
