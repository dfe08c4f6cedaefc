import { toErrorBody } from '../../src/common/errors/error-body.js';
import { parseMapping } from '../../src/ingestion/mapping/parse-mapping.js';
import { MappingError, type MappingProblem } from '../../src/ingestion/mapping/problems.js';
import { MappingRefusedError } from '../../src/ingestion/mapping.errors.js';

interface ListedProblem {
  type: string;
  msg: string;
  hint: string;
  path: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

/** A mapping without problems. */
export const validMapping = `version: 1
nodes:
  - id: customer
    label: 客户
    table: customers
    key: [customer_id]
    columns:
      - {column: customer_id, property: 客户编号, type: string, rules: [required, unique]}
  - id: order
    label: 订单
    table: orders
    key: [order_id]
    columns:
      - {column: order_id, property: 订单号, type: bigint}
edges:
  - type: 下单
    table: orders
    from: {node: customer, match: {customer_id: customer_id}}
    to: {node: order, match: {order_id: order_id}}
`;

function refusalOf(text: string): MappingError | null {
  try {
    parseMapping(text);
    return null;
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error;
  }
}

export const problemsOf = (text: string): readonly MappingProblem[] => refusalOf(text)?.problems ?? [];

/** The problems as the body of the answer lists them. */
export function listedProblems(text: string): ListedProblem[] {
  const refusal = refusalOf(text);
  return refusal === null ? [] : (toErrorBody(new MappingRefusedError(refusal), false).detail as { errors: ListedProblem[] }).errors;
}

/** The listed problems as `type@line:column path`, the parts that a reader of the answer needs. */
export const problemPlaces = (text: string): string[] =>
  listedProblems(text).map(({ type, line, column, path }) => `${type}@${line}:${column} ${path}`);
