import { trimZerosStart } from '../../text/trim-zeros.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { castName, constantSql, functionName, isConstant, type Node, operatorName, temporalKind } from './constant-sql.js';
import { asDoubles, constantOfDigits } from './double-comparison.js';
import { type ExpressionContext, type Translator } from './expression-context.js';
import { translateKeys } from './handed-list.js';
import { checkStatementLength } from '../plan/statement-length.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { reciprocalOf } from './reciprocal.js';
import { booleanType, type Kind, localType, numberType, textType, type Typed, type ValueType, widestInteger } from './target-dialect.js';
import { translateArithmetic, translateDays, translateEnds, translateRemainder } from './translate-arithmetic.js';
import { translateCall } from './translate-call.js';
import { translateCast, translateParameter } from './translate-cast.js';
import { translateLike } from './translate-text.js';
import { translateWindow } from './translate-window.js';
import { constructName, numberConstant, spanOf, textConstant } from './tree-constants.js';

const nullType: ValueType = { ...textType, kind: 'null' };
export const comparisons = new Set(['=', '<>', '<', '<=', '>', '>=']);

/**
 * Translates a PostgreSQL expression, given as the tree of PostgreSQL's parser, to an expression of the target that has the same value
 * for every row. Each step knows the types of its operands. A construct without an exact counterpart in the target is refused by name.
 * @throws NotInDialectError; SchemaError if the expression is too long
 */
export function translateExpression(node: unknown, context: ExpressionContext): Typed {
  return translatorFor(context).translate(node);
}

/** The functions that translate, compare and unify expressions in a context. */
export function translatorFor({ dialect, parameters, lists, values, find }: ExpressionContext) {
  const translator: Translator = { dialect, values, translate, text, number, computed, condition, asText, unify, refuse };
  /** Translations by node. Some constructs write an operand twice; nested, they would double the work at each level without this map. */
  const translated = new Map<unknown, Typed>();
  return { translate, comparable, unify };

  function translate(each: unknown): Typed {
    const typed = translated.get(each) ?? translateAnew(each);
    checkStatementLength([typed.sql]);
    translated.set(each, typed);
    return typed;
  }

  function translateAnew(each: unknown): Typed {
    const kind = isConstant(each) ? temporalKind(each) : null;
    if (kind) return computed(each, kind);
    const node = each as Node;
    const { ColumnRef, A_Const, A_Expr, BoolExpr, NullTest, BooleanTest, TypeCast, FuncCall } = node;
    const { CoalesceExpr, CaseExpr, MinMaxExpr, SubLink } = node;
    if (ColumnRef) return column(ColumnRef);
    if (A_Const) return constant(A_Const);
    if (A_Expr) return operation(A_Expr);
    if (BoolExpr) return combined(BoolExpr);
    if (NullTest) {
      const { sql } = translate(NullTest.arg);
      return condition(`(${sql} IS ${NullTest.nulltesttype === 'IS_NULL' ? '' : 'NOT '}NULL)`);
    }
    if (BooleanTest) return tested(BooleanTest);
    if (TypeCast) return translateCast(TypeCast, translator);
    if (FuncCall) return FuncCall.over === undefined ? translateCall(FuncCall, translator) : translateWindow(FuncCall, translate, dialect);
    if (CoalesceExpr) {
      const alike = unify((CoalesceExpr.args as unknown[]).map(translate), 'COALESCE');
      return { ...alike[0]!, sql: `COALESCE(${alike.map(({ sql }) => sql).join(', ')})` };
    }
    if (CaseExpr) return cases(CaseExpr);
    if (MinMaxExpr) return translateEnds(MinMaxExpr.op === 'IS_GREATEST', MinMaxExpr.args as unknown[], translator);
    if (SubLink) return translateKeys(SubLink, translate, { lists, parameters, dialect });
    return refuse(constructName(Object.keys(node)[0] ?? ''));
  }

  function refuse(construct: string): never {
    throw new NotInDialectError(dialect.name, construct);
  }

  function condition(sql: string): Typed {
    return { ...booleanType, sql };
  }

  /** Translates a constant expression whose value is a time. PostgreSQL computes its text beforehand, and the text becomes a parameter. */
  function computed(each: unknown, kind: Kind): Typed {
    const sql = constantSql(each, values, parameters) ?? refuse('a constant time of this form');
    const type = { ...textType, kind };
    const format = kind === 'date' ? 'YYYY-MM-DD BC' : 'YYYY-MM-DD HH24:MI:SS.US BC';
    const local = kind === 'timestamptz' ? `(${sql}) AT TIME ZONE 'UTC'` : sql;
    return {
      ...type,
      sql: dialect.fromText(
        parameters.compute(`to_char(${local}, '${format}')`, kind === 'date' ? '2000-01-01' : '2000-01-01 00:00:00.000000'),
        type,
      ),
    };
  }

  function column({ fields }: NodeFields): Typed {
    const parts = (fields as { String?: { sval?: string } }[]).map(part => part.String?.sval ?? '');
    const [qualifier, name] = parts.length === 1 ? [null, parts[0]!] : [parts[0]!, parts[1]!];
    const found = find(qualifier, name);
    if (!found) throw new Error(`The column ${name} is not in scope`);
    if (found.kind !== 'other') return found;
    const way = { zh: '请不要在公式和绑定中使用它', en: 'leave it out of the formula and of the binding' };
    throw new NotInDialectError(dialect.name, `the type of the column '${name}'`, way);
  }

  function constant({ ival, fval, sval, boolval, isnull }: NodeFields): Typed {
    if (isnull) return { ...nullType, sql: 'NULL' };
    if (boolval !== undefined) return condition((boolval as { boolval?: boolean }).boolval ? 'TRUE' : 'FALSE');
    if (ival !== undefined) return number(String((ival as { ival?: number }).ival ?? 0));
    if (fval !== undefined) return number((fval as { fval: string }).fval);
    if (sval !== undefined) return text((sval as { sval?: string }).sval ?? '');
    return refuse('a constant of this form');
  }

  function text(value: string): Typed {
    return { ...textType, sql: dialect.fromText(parameters.value(value), textType) };
  }

  function number(written: string): Typed {
    const match = /^(-?)(\d*)(?:\.(\d*))?$/.exec(written);
    if (!match) return refuse(`the number ${written.slice(0, 40)}`);
    const [, sign = '', digitsBefore = '', fraction = ''] = match;
    const whole = trimZerosStart(digitsBefore);
    const digits = Math.max(1, whole.length);
    const integer = fraction !== '' || digits > 18 ? undefined : Number(whole) < 2 ** 31 ? ('integer' as const) : ('bigint' as const);
    const type = { ...numberType(digits, fraction.length), integer };
    const plain = `${sign}${whole === '' ? '0' : whole}${fraction && `.${fraction}`}`;
    if (fraction === '' && whole.length <= 18) return constantOfDigits(plain, { ...type, sql: plain });
    return constantOfDigits(plain, { ...type, sql: dialect.fromText(parameters.value(plain), type) });
  }

  function operation({ kind, lexpr, rexpr, ...rest }: NodeFields): Typed {
    const operator = operatorName(rest).replace('!=', '<>');
    switch (kind) {
      case 'AEXPR_OP':
        return lexpr === undefined ? negated(operator, translate(rexpr)) : binary(operator, lexpr, rexpr);
      case 'AEXPR_OP_ANY':
      case 'AEXPR_OP_ALL':
        return amongParameters(kind === 'AEXPR_OP_ANY' && operator === '=', operator, lexpr, rexpr);
      case 'AEXPR_IN':
        return among(operator === '=', lexpr, (rexpr as { List: { items: unknown[] } }).List.items);
      case 'AEXPR_BETWEEN':
      case 'AEXPR_NOT_BETWEEN': {
        const [low, high] = (rexpr as { List: { items: unknown[] } }).List.items;
        const within = `(${compare('>=', lexpr, low)} AND ${compare('<=', lexpr, high)})`;
        return condition(kind === 'AEXPR_BETWEEN' ? within : `(NOT ${within})`);
      }
      case 'AEXPR_LIKE':
        return translateLike(operator, lexpr, rexpr, translator);
      case 'AEXPR_ILIKE':
        return refuse('ILIKE');
      case 'AEXPR_NULLIF': {
        const value = translate(lexpr);
        return { ...value, sql: `(CASE WHEN ${compare('=', lexpr, rexpr)} THEN NULL ELSE ${value.sql} END)` };
      }
      case 'AEXPR_DISTINCT':
      case 'AEXPR_NOT_DISTINCT':
        return distinct(kind === 'AEXPR_DISTINCT', lexpr, rexpr);
      default:
        return refuse(operator);
    }
  }

  function negated(operator: string, operand: Typed): Typed {
    if (operator !== '-' || operand.kind !== 'number') return refuse(operator);
    return { ...operand, sql: `(- ${dialect.toDecimal(operand)})` };
  }

  function binary(operator: string, left: unknown, right: unknown): Typed {
    if (comparisons.has(operator)) {
      const part = operator === '>' ? searchedPart(left, right) : null;
      return condition(part ?? `(${compare(operator, left, right)})`);
    }
    const span = /^[+-]$/.test(operator) ? spanOf(right) : null;
    if (span) {
      const local = asLocal(translate(left));
      const count = operator === '+' ? span.count : -span.count;
      if (local) return { ...localType, sql: dialect.add(local, count, span.unit) };
    }
    const value = translate(left);
    if (operator === '||') {
      const texts = [value, translate(right)].map(asText);
      return { ...textType, sql: dialect.join(texts) };
    }
    const days = translateDays(operator, value, right, translator);
    if (days) return days;
    if (operator === '%') return translateRemainder(value, right, translator) ?? refuse('% of this form');
    const factor = operator === '/' && value.kind === 'number' && !value.integer ? reciprocalOf(numberConstant(right) ?? '', value) : null;
    return factor === null
      ? translateArithmetic(operator, value, translate(right), translator)
      : translateArithmetic('*', value, number(factor), translator);
  }

  function distinct(isDistinct: boolean, left: unknown, right: unknown): Typed {
    const [a, b] = comparable(left, right);
    const isOther = `(CASE WHEN ${a.sql} IS NULL OR ${b.sql} IS NULL THEN NOT (${a.sql} IS NULL AND ${b.sql} IS NULL) ELSE ${a.sql} <> ${b.sql} END)`;
    return condition(isDistinct ? isOther : `(NOT ${isOther})`);
  }

  /** SQL of the target for `strpos(x, part) > 0`, a search for a part of a text. Null for other comparisons. */
  function searchedPart(left: unknown, right: unknown): string | null {
    const { FuncCall } = left as Node;
    const { A_Const } = right as Node;
    if (!FuncCall || functionName(FuncCall) !== 'strpos' || (A_Const?.ival as { ival?: number } | undefined)?.ival) return null;
    if (A_Const?.ival === undefined) return null;
    const [value, part] = (FuncCall.args as unknown[]).map(each => asText(translate(each)));
    return dialect.contains(value!, part!);
  }

  function asText({ kind, sql }: Typed): string {
    return kind === 'text' ? sql : refuse('a search in a value that is not text');
  }

  function compare(operator: string, left: unknown, right: unknown): string {
    const [a, b] = comparable(left, right);
    if (a.kind === 'text' && operator !== '=' && operator !== '<>')
      refuse(`the order of texts (${operator}), which depends on the database`);
    return `${a.sql} ${operator} ${b.sql}`;
  }

  /** Translates both sides of a comparison to values of one kind. A text constant takes the kind of the other side. */
  function comparable(left: unknown, right: unknown): [Typed, Typed] {
    let [a, b] = [translate(left), translate(right)];
    if (a.kind !== b.kind) {
      a = textConstant(left) === null ? a : constantOf(left, b.kind);
      b = textConstant(right) === null ? b : constantOf(right, a.kind);
    }
    if (a.kind !== b.kind && /date|timestamp/.test(a.kind) && /date|timestamp/.test(b.kind)) {
      const [first, second] = [asLocal(a), asLocal(b)];
      if (first === null || second === null) refuse('a moment beside a local time');
      [a, b] = [
        { ...localType, sql: first },
        { ...localType, sql: second },
      ];
    }
    const isNull = a.kind === 'null' || b.kind === 'null';
    if (!isNull && (a.kind !== b.kind || a.kind === 'float')) refuse(`a comparison of ${a.kind} with ${b.kind}`);
    return asDoubles(a, b, dialect, parameters) ?? [a, b];
  }

  function constantOf(each: unknown, kind: Kind): Typed {
    const written = textConstant(each)!;
    if (kind === 'number') return number(written.trim());
    if (kind !== 'date' && kind !== 'timestamp' && kind !== 'timestamptz') return translate(each);
    return computed({ TypeCast: { arg: each, typeName: { names: [{ String: { sval: kind } }] } } }, kind);
  }

  function asLocal({ kind, sql }: Typed): string | null {
    if (kind === 'timestamp') return sql;
    return kind === 'date' ? dialect.dateToLocal(sql) : null;
  }

  function amongParameters(isIn: boolean, operator: string, left: unknown, right: unknown): Typed {
    const { TypeCast } = right as Node;
    const { ParamRef } = (TypeCast?.arg ?? {}) as Node;
    if (!TypeCast || !ParamRef || (!isIn && operator !== '<>')) return refuse('ANY');
    const list = values[Number(ParamRef.number) - 1] as unknown[];
    const type = castName(TypeCast.typeName);
    const value = translate(left);
    const items = list.map(each => translateParameter(each, type, translator));
    const found = dialect.isIn(value, items);
    return condition(isIn ? found : `(NOT ${found})`);
  }

  function among(isIn: boolean, left: unknown, items: unknown[]): Typed {
    let value: Typed | undefined;
    const listed = items.map(item => {
      const [a, b] = comparable(left, item);
      if (b.kind === 'null') refuse('NULL in a list of IN');
      if (value && value.sql !== a.sql) refuse('IN with values of several types');
      value = a;
      return b;
    });
    const found = dialect.isIn(value!, listed);
    return condition(isIn ? found : `(NOT ${found})`);
  }

  function combined({ boolop, args }: NodeFields): Typed {
    const operands = (args as unknown[]).map(each => truth(translate(each)));
    if (boolop === 'NOT_EXPR') return condition(`(NOT ${operands[0]})`);
    return condition(`(${operands.join(boolop === 'AND_EXPR' ? ' AND ' : ' OR ')})`);
  }

  function truth({ kind, sql }: Typed): string {
    return kind === 'boolean' || kind === 'null' ? sql : refuse('a condition that is not a boolean');
  }

  function tested({ arg, booltesttype }: NodeFields): Typed {
    const sql = truth(translate(arg));
    const [, not, test] = /^IS_(NOT_)?(TRUE|FALSE|UNKNOWN)$/.exec(String(booltesttype))!;
    const holds = test === 'UNKNOWN' ? `(${sql} IS NULL)` : `COALESCE(${test === 'TRUE' ? sql : `(NOT ${sql})`}, FALSE)`;
    return condition(not ? `(NOT ${holds})` : holds);
  }

  function cases({ arg, args, defresult }: NodeFields): Typed {
    const whens = (args as { CaseWhen: NodeFields }[]).map(({ CaseWhen }) => CaseWhen);
    const conditions = whens.map(({ expr }) => (arg === undefined ? truth(translate(expr)) : compare('=', arg, expr)));
    const results = unify(
      [...whens.map(({ result }) => result), ...(defresult === undefined ? [] : [defresult])].map(translate),
      'CASE with results of several types',
    );
    const branches = conditions.map((sql, index) => `WHEN ${sql} THEN ${results[index]!.sql}`);
    const otherwise = defresult === undefined ? '' : ` ELSE ${results.at(-1)!.sql}`;
    return { ...results[0]!, sql: `(CASE ${branches.join(' ')}${otherwise} END)` };
  }

  /** Converts all values to one type: the widest of their types. @throws NotInDialectError for values of several kinds */
  function unify(all: Typed[], construct: string): Typed[] {
    const known = all.filter(({ kind }) => kind !== 'null');
    const [first] = known;
    if (!first) return all;
    if (known.some(({ kind }) => kind !== first.kind)) refuse(construct);
    if (first.kind !== 'number') return all.map(({ sql }) => ({ ...first, sql }));
    const [whole, scale] = [Math.max(...known.map(each => each.whole)), Math.max(...known.map(each => each.scale))];
    const type = { ...numberType(whole, scale), integer: widestInteger(known), wasFloat: known.some(({ wasFloat }) => wasFloat) };
    return all.map(each => ({ ...type, sql: each.kind === 'null' ? 'NULL' : dialect.toDecimal({ ...each, ...type }) }));
  }
}
