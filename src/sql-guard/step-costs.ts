import { mostSought } from '../sql/most-sought.js';
import { castTypes, operators, scalarFunctions, type StepCost } from './allow-lists.js';
import { containing, isOfEach, likes, mostFormat } from './check-sought.js';
import { constantText, withoutCast } from './constant-text.js';
import { elementsOf, isShort, mostCharacters, wholeNumber } from './most-characters.js';
import { nameParts, type NodeFields } from './walk-tree.js';

/** Characters of the values for which the costs of the allow-lists hold. */
const charactersOfCosts = 16_000_000;
/** Nodes of each part of a format, which goes through a whole text, and the fewest characters of a part that does: TMMonth. */
const nodesOfField = 12;
const lengthOfField = 7;
/** Nodes of reading a list from a text, and of copying a part of a list. */
const nodesOfArray = 80;
const nodesOfSlice = 8;
const texts = /^(?:text|varchar)$/;

/** Functions and operators whose result is a text. */
const textFunctions = /^(?:lower|upper|initcap|reverse|left|right|substr|substring|overlay|md5|concat|concat_ws|[blr]trim|translate|replace|split_part|regexp_replace|regexp_substr|to_char|array_to_string|normalize|jsonb?_extract_path_text)$/; // prettier-ignore
const documentOperators = /^(?:->|#>|#-|-|\|\|)$/;

/**
 * The cost of a step of user SQL on one row, in nodes beside its own (see `StepCost` of allow-lists.ts). Types of columns are not known
 * here: a column may hold a text, list or document of 16 MB.
 */
export function costOf(type: string, node: NodeFields): number {
  switch (type) {
    case 'FuncCall':
      return costOfCall(node);
    case 'A_Expr':
      return costOfOperator(node);
    case 'TypeCast':
      return costOfCast(node);
    case 'A_Indirection':
      return (node.indirection as { A_Indices?: NodeFields }[]).some(({ A_Indices: part }) => part?.is_slice) ? nodesOfSlice : 0;
    default:
      return 0;
  }
}

function costOfCall(node: NodeFields): number {
  const name = nameParts(node.funcname).at(-1) ?? '';
  const cost = scalarFunctions.get(name);
  const args = (node.args ?? []) as unknown[];
  const [value, sought] = args;
  if (!cost) return 0;
  if (cost.by === 'format') return nodesOfField * Math.ceil((constantText(sought)?.length ?? 0) / lengthOfField);
  if (name.startsWith('jsonb_path_')) return cost.value! + costOfTemplates(sought);
  if (name.startsWith('concat')) return cost.value! + sumOf(args, costOfText);
  if (cost.by === 'exponent') return costOfPower(cost, sought);
  if (cost.by === 'result') return share(cost, value, 0, charactersRead(name, args));
  return share(cost, value, sought === undefined ? 1 : Math.min(mostSought, mostCharacters(sought)));
}

function costOfOperator(node: NodeFields): number {
  const { lexpr, rexpr } = node;
  const operator = nameParts(node.name).at(-1) ?? '';
  const cost = operators.get(operator);
  if (!cost || lexpr === undefined) return 0;
  if (containing.has(operator)) return cost.perSought! * Math.min(...[lexpr, rexpr].map(elementsOf));
  if (operator === '@?' || operator === '@@') return cost.value! + costOfTemplates(rexpr);
  if (operator === '||') return isText(lexpr) || isText(rexpr) ? costOfText(lexpr) + costOfText(rexpr) : cost.value!;
  if (operator === '-') return mayBeDocument(lexpr) ? cost.value! : 0;
  if (cost.by === 'exponent') return costOfPower(cost, rexpr);
  if (operator === '^@') return isShort(rexpr) ? 0 : share(cost, lexpr, 0);
  return share(cost, lexpr, likes.has(operator) ? (isOfEach(node) ? charactersOfList(rexpr) : charactersOfPattern(rexpr)) : 0);
}

function costOfCast({ arg, typeName }: NodeFields): number {
  const { names, arrayBounds } = typeName as NodeFields;
  const name = nameParts(names).at(-1) ?? '';
  const { A_Const: constant, A_ArrayExpr: list } = (arg ?? {}) as Record<string, NodeFields | undefined>;
  if (constant) return 0;
  if (list) return sumOf((list.elements ?? []) as unknown[], each => costOfCast({ arg: each, typeName }));
  if (arrayBounds !== undefined) return share({ value: nodesOfArray }, arg, 0);
  if (texts.test(name)) return costOfText(arg);
  // PostgreSQL sorts the keys of an object in a time that grows faster than their number, so a shorter text does not cost less.
  if (name === 'jsonb') return isShort(arg) ? 0 : castTypes.get(name)!.value!;
  return share(castTypes.get(name) ?? {}, arg, 0);
}

/** The nodes of a step over `value`, by the characters of it that the step reads at most. */
function share({ value: ofValue = 0, perSought = 0 }: StepCost, value: unknown, sought: number, read = mostCharacters(value)): number {
  if (isShort(value)) return 0;
  return Math.round((ofValue + perSought * sought) * Math.min(1, read / charactersOfCosts));
}

/** The characters up to the end of what `left(text, count)` or `substring(text, start, count)` returns. */
function charactersRead(name: string, [text, first, count]: readonly unknown[]): number {
  return Math.min(mostCharacters(text), wholeNumber(first) + (name === 'left' ? 0 : wholeNumber(count)));
}

/** A power of many digits takes seconds. `x ^ 2` and `power(x, 0.5)` do not. */
function costOfPower({ value }: StepCost, exponent: unknown): number {
  const { ival, fval } = ((exponent ?? {}) as { A_Const?: { ival?: { ival?: number }; fval?: { fval: string } } }).A_Const ?? {};
  const number = ival ? (ival.ival ?? 0) : Number(fval?.fval ?? Infinity);
  return Math.abs(number) <= 100 ? 0 : value!;
}

/** The nodes of writing a value as a text: a list or document takes a pass, a text takes none. The values of a row are written in quotes. */
function costOfText(node: unknown): number {
  const { RowExpr: row, A_Const: constant } = node as Record<string, NodeFields | undefined>;
  if (row) return castTypes.get('text')!.value! * ((row.args ?? []) as unknown[]).length;
  return constant || isText(node) ? 0 : share(castTypes.get('text')!, node, 0);
}

/** The results of `isText`, which each level of a chain of `||` asks for. */
const knownTexts = new WeakMap<object, boolean>();

/** Whether the form of an expression shows that its value is a text, and not a list or document. */
function isText(node: unknown): boolean {
  // An operator before its operand, such as `|| t`, has no left side.
  if (typeof node !== 'object' || node === null) return false;
  const found = knownTexts.get(node) ?? isTextByForm(node);
  knownTexts.set(node, found);
  return found;
}

function isTextByForm(node: object): boolean {
  const { A_Const: constant, TypeCast: cast, FuncCall: call, A_Expr: operation, CoalesceExpr: choice } = node as Record<string, NodeFields | undefined>; // prettier-ignore
  if (constant) return constantText(node) !== null && !isJson(constantText(node)!);
  if (cast) return typeOf(cast) !== null && texts.test(typeOf(cast)!);
  if (call) return textFunctions.test(nameParts(call.funcname).at(-1) ?? '');
  if (choice) return ((choice.args ?? []) as unknown[]).some(isText);
  const operator = nameParts(operation?.name ?? []).at(-1);
  return operator === '->>' || operator === '#>>' || (operator === '||' && (isText(operation!.lexpr) || isText(operation!.rexpr)));
}

/** Whether a text is a document, which PostgreSQL takes a constant for that stands beside one. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value may be a document, from which `-` removes a key. */
function mayBeDocument(node: unknown): boolean {
  const { A_Const: constant, TypeCast: cast, FuncCall: call, A_Expr: operation } = node as Record<string, NodeFields | undefined>;
  if (cast) return typeOf(cast) === 'jsonb';
  if (call) return call.over !== undefined || nameParts(call.funcname).at(-1)!.startsWith('jsonb_');
  const isPart = operation?.kind === 'AEXPR_NULLIF' || documentOperators.test(nameParts(operation?.name ?? []).at(-1) ?? '');
  if (operation) return isPart && mayBeDocument(operation.lexpr ?? {});
  return !constant;
}

/** The type of a cast; null for a list. */
function typeOf({ typeName }: NodeFields): string | null {
  const { names, arrayBounds } = typeName as NodeFields;
  return arrayBounds === undefined ? (nameParts(names).at(-1) ?? null) : null;
}

/** The nodes of the templates of `datetime("…")` in a path of jsonb. */
function costOfTemplates(path: unknown): number {
  const templates = constantText(withoutCast(path))?.match(/\bdatetime\s*\(\s*"/gi) ?? [];
  return nodesOfField * Math.ceil((templates.length * mostFormat) / lengthOfField);
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
  if (list) return sumOf((list.elements ?? []) as unknown[], charactersOfPattern);
  return constantText(node)?.length ?? mostSought;
}

function sumOf(nodes: readonly unknown[], costOfEach: (node: unknown) => number): number {
  return nodes.reduce<number>((sum, node) => sum + costOfEach(node), 0);
}
