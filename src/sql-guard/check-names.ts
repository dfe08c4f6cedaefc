import { castTypes, operators, scalarFunctions, valueFunctions } from './allow-lists.js';
import { checkInterval, checkSeconds, checkTime } from './check-times.js';
import { checkZone } from './check-zone.js';
import { checkDocument, checkSoughtOfCall, checkSoughtOfOperator, checkSoughtOfSubselect } from './check-sought.js';
import { constantText } from './constant-text.js';
import { refuseGathering } from './refuse-gathering.js';
import { nameParts, type NodeFields, Refusal } from './walk-tree.js';

/** Maximum characters of a constant regular expression. `statement_timeout` limits the run time of the patterns that are not refused. */
const maxPatternLength = 1_000;
const mostNormalized = 1_000;

/** Reads the name of a call. @returns the bare name if it is unqualified or of pg_catalog. @throws Refusal for any other qualified name */
export function functionName(node: NodeFields, offset: number | undefined): string {
  const parts = nameParts(node.funcname);
  const name = parts.at(-1);
  const qualified = parts.length === 2 && parts[0] === 'pg_catalog';
  if (name == null || !(parts.length === 1 || qualified)) throw new Refusal('function', parts.map(part => part ?? '*').join('.'), offset);
  return name;
}

/**
 * Checks functions, the clock, types, operators and times (rules 4, 5, 7 and 8 of filter-guard.md, B.3). Columns are checked by each guard
 * itself, because the allowed ones depend on the place of the SQL.
 */
export function checkNames(
  type: string,
  node: NodeFields,
  offset: number | undefined,
  functions: Pick<ReadonlySet<string>, 'has'> = scalarFunctions,
): void {
  switch (type) {
    case 'FuncCall': {
      const name = functionName(node, offset);
      refuseGathering(name, offset);
      if (!functions.has(name)) throw new Refusal('function', name, offset);
      if (name === 'replace') checkReplace(node, offset);
      if (name === 'normalize') checkNormalize(node, offset);
      checkZone(name, node, offset);
      checkSeconds(name, node, offset);
      checkSoughtOfCall(name, node, offset);
      return;
    }
    case 'A_Const':
      return checkTime(node, offset);
    case 'TypeCast':
      checkDocument(node, offset);
      return checkInterval(node, offset);
    case 'SQLValueFunction':
      if (!valueFunctions.has(String(node.op))) throw new Refusal('function', String(node.op).replace('SVFOP_', ''), offset);
      return;
    case 'TypeName': {
      const parts = nameParts(node.names);
      const name = parts.at(-1);
      const allowed = parts.length === 1 || (parts.length === 2 && parts[0] === 'pg_catalog');
      if (name == null || !allowed || !castTypes.has(name)) throw new Refusal('type', parts.join('.'), offset);
      return;
    }
    case 'A_Expr': {
      const parts = nameParts(node.name);
      const allowed = parts.length === 1 || (parts.length === 2 && parts[0] === 'pg_catalog');
      if (!allowed || !(isBetween(node) || operators.has(parts.at(-1) ?? ''))) throw new Refusal('operator', parts.join('.'), offset);
      const pattern = constantText(node.rexpr);
      if (/^!?~\*?$/.test(String(parts.at(-1))) && pattern !== null && pattern.length > maxPatternLength) {
        throw new Refusal('length', `${pattern.slice(0, 20)}…`, offset, {
          zh: `正则最多 ${maxPatternLength} 个字符`,
          en: `a pattern has at most ${maxPatternLength} characters`,
        });
      }
      checkSoughtOfOperator(node, offset);
      return;
    }
    case 'SubLink':
      return checkSoughtOfSubselect(node, offset);
    case 'A_Indirection':
      // `(x).f` on a composite value is the function call f(x), so only subscripts may follow.
      for (const part of node.indirection as object[]) {
        if (!('A_Indices' in part)) throw new Refusal('column', nameParts([part])[0] ?? '*', offset);
      }
      return;
    default:
  }
}

/**
 * Refuses a replace() that may lengthen its text. Nested calls of this kind multiply: three of them make a gigabyte from 4,000 characters.
 */
function checkReplace(node: NodeFields, offset: number | undefined): void {
  const [, from, to] = (node.args ?? []) as unknown[];
  const [search, replacement] = [constantText(from), constantText(to)];
  if (search === null || replacement === null || replacement.length > search.length) {
    throw new Refusal('function', 'replace', offset, {
      zh: '第二、三个参数必须是常量，且第三个不长于第二个',
      en: 'its second and third argument must be constants, the third not longer than the second',
    });
  }
}

/**
 * Refuses a call of `normalize` on a text that may be long. PostgreSQL sorts the marks of a letter in time that grows with the square of
 * their number, and cannot be interrupted meanwhile.
 */
function checkNormalize(node: NodeFields, offset: number | undefined): void {
  const [text] = (node.args ?? []) as { FuncCall?: NodeFields }[];
  const call = text?.FuncCall;
  const [, length] = (call && functionName(call, offset) === 'left' ? call.args : []) as { A_Const?: { ival?: { ival?: number } } }[];
  const most = length?.A_Const?.ival?.ival ?? 0;
  if (most > 0 && most <= mostNormalized) return;
  throw new Refusal('function', 'normalize', offset, {
    zh: `请写 normalize(left(…, ${mostNormalized}), …)，一次最多 ${mostNormalized} 个字符`,
    en: `write normalize(left(…, ${mostNormalized}), …); it takes at most ${mostNormalized} characters`,
  });
}

/** BETWEEN in its forms, which the parser keeps as operators. `check-copies.ts` counts them. */
function isBetween({ kind }: NodeFields): boolean {
  return /^AEXPR_(?:NOT_)?BETWEEN(?:_SYM)?$/.test(String(kind));
}
