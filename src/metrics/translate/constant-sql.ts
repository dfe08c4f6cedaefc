import { nameParts, type NodeFields } from '../../sql-guard/walk-tree.js';
import { type Kind } from './target-dialect.js';
import { type TargetParameters } from './target-parameters.js';

export type Node = Readonly<Record<string, NodeFields | undefined>>;

/** The name of a cast's type, without the schema that the parser puts before it. */
export function castName(typeName: unknown): string {
  return nameParts((typeName as NodeFields).names).at(-1) ?? '';
}

export function functionName({ funcname }: NodeFields): string {
  return nameParts(funcname).at(-1) ?? '';
}

export function operatorName({ name }: NodeFields): string {
  return nameParts(name).at(-1) ?? '';
}

/** The kind of a constant expression whose value is a time. Null for any other expression. */
export function temporalKind(node: unknown): Kind | null {
  const { TypeCast, FuncCall, A_Expr, SQLValueFunction, CaseExpr, MinMaxExpr } = node as Node;
  if (TypeCast) return temporalTypes[castName(TypeCast.typeName)] ?? null;
  if (SQLValueFunction) return clocks[String(SQLValueFunction.op)] ?? null;
  if (CaseExpr) return temporalKind((CaseExpr.args as [{ CaseWhen: NodeFields }])[0].CaseWhen.result);
  if (MinMaxExpr) return temporalKind((MinMaxExpr.args as unknown[])[0]);
  if (A_Expr && A_Expr.kind === 'AEXPR_OP' && A_Expr.lexpr !== undefined && /^[+-]$/.test(operatorName(A_Expr))) {
    const kind = temporalKind(A_Expr.lexpr);
    const isInterval = isIntervalCast(A_Expr.rexpr) || temporalKind(A_Expr.rexpr) === null;
    if (kind === null || !isInterval) return null;
    return kind === 'date' && isIntervalCast(A_Expr.rexpr) ? 'timestamp' : kind;
  }
  if (!FuncCall) return null;
  const args = (FuncCall.args ?? []) as unknown[];
  switch (functionName(FuncCall)) {
    case 'now':
      return 'timestamptz';
    case 'date_trunc': {
      const kind = temporalKind(args[1]);
      return kind === 'date' ? 'timestamptz' : kind;
    }
    case 'timezone': {
      const kind = temporalKind(args[1]);
      return kind === null ? null : kind === 'timestamp' ? 'timestamptz' : 'timestamp';
    }
    case 'make_date':
      return 'date';
    default:
      return null;
  }
}

const temporalTypes: Readonly<Record<string, Kind>> = { date: 'date', timestamp: 'timestamp', timestamptz: 'timestamptz' };
const clocks: Readonly<Record<string, Kind>> = {
  SVFOP_CURRENT_DATE: 'date',
  SVFOP_CURRENT_TIMESTAMP: 'timestamptz',
  SVFOP_LOCALTIMESTAMP: 'timestamp',
};
const clockNames: Readonly<Record<string, string>> = {
  SVFOP_CURRENT_DATE: 'CURRENT_DATE',
  SVFOP_CURRENT_TIMESTAMP: 'CURRENT_TIMESTAMP',
  SVFOP_LOCALTIMESTAMP: 'LOCALTIMESTAMP',
};

function isIntervalCast(node: unknown): boolean {
  const { TypeCast } = node as Node;
  return TypeCast !== undefined && castName(TypeCast.typeName) === 'interval';
}

/** Whether an expression reads no column and no query. */
export function isConstant(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true;
  return Object.entries(node).every(([key, value]) => key !== 'ColumnRef' && key !== 'SubLink' && isConstant(value));
}

const castable = new Set(['date', 'timestamp', 'timestamptz', 'interval', 'text', 'int4', 'int8', 'numeric']);
const functions = new Set(['date_trunc', 'timezone', 'now', 'make_date']);
const operators = new Set(['+', '-', '<', '>', '<=', '>=', '=']);

/**
 * Writes a constant expression as PostgreSQL SQL. All values in it become parameters.
 * @param values the values of the parameters of the statement around the expression, in the order of their numbers
 * @returns null for an expression with a construct that is not supported in constant times
 */
export function constantSql(node: unknown, values: readonly unknown[], parameters: TargetParameters): string | null {
  const write = (each: unknown): string => {
    const { A_Const, A_Expr, TypeCast, FuncCall, CaseExpr, MinMaxExpr, SQLValueFunction } = each as Node;
    if (A_Const) return writeValue(A_Const);
    if (SQLValueFunction) return clockNames[String(SQLValueFunction.op)] ?? fail();
    if (TypeCast) {
      const type = castName(TypeCast.typeName);
      const { typmods, arrayBounds } = TypeCast.typeName as NodeFields;
      if (!castable.has(type) || typmods !== undefined || arrayBounds !== undefined) fail();
      const { ParamRef } = TypeCast.arg as Node;
      return ParamRef ? parameters.bind(values[Number(ParamRef.number) - 1], type) : `(${write(TypeCast.arg)})::${type}`;
    }
    if (FuncCall) {
      const name = functionName(FuncCall);
      if (!functions.has(name)) fail();
      return `${name}(${((FuncCall.args ?? []) as unknown[]).map(write).join(', ')})`;
    }
    if (A_Expr?.kind === 'AEXPR_OP' && A_Expr.lexpr !== undefined && operators.has(operatorName(A_Expr)))
      return `(${write(A_Expr.lexpr)} ${operatorName(A_Expr)} ${write(A_Expr.rexpr)})`;
    if (CaseExpr && CaseExpr.arg === undefined) {
      const whens = (CaseExpr.args as { CaseWhen: NodeFields }[]).map(
        ({ CaseWhen }) => `WHEN ${write(CaseWhen.expr)} THEN ${write(CaseWhen.result)}`,
      );
      return `CASE ${whens.join(' ')}${CaseExpr.defresult === undefined ? '' : ` ELSE ${write(CaseExpr.defresult)}`} END`;
    }
    if (MinMaxExpr)
      return `${MinMaxExpr.op === 'IS_LEAST' ? 'LEAST' : 'GREATEST'}(${(MinMaxExpr.args as unknown[]).map(write).join(', ')})`;
    return fail();
  };
  const writeValue = ({ ival, sval }: NodeFields): string => {
    if (ival !== undefined) return parameters.bind(String((ival as { ival?: number }).ival ?? 0), 'int4');
    return sval === undefined ? fail() : parameters.bind((sval as { sval?: string }).sval ?? '', 'text');
  };
  try {
    return write(node);
  } catch (error) {
    if (error === notWritten) return null;
    throw error;
  }
}

const notWritten = new Error('The constant is of another form');

function fail(): never {
  throw notWritten;
}
