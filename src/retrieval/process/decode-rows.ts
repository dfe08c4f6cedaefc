import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { checkDetail } from '../../common/json/check-detail.js';
import { type Pace } from '../../common/turns/pace.js';
import { type Behind } from '../../cypher/executors/memory/behind.js';
import { type AnswerRow } from '../../cypher/executors/memory/run-in-memory.js';
import { type CompiledColumn, type CompiledQuery } from '../../cypher/executors/sql/compile-plan.js';
import { type CypherValue, type EdgeValue, type NodeValue } from '../../cypher/values/cypher-value.js';
import { Decimal } from '../../cypher/values/decimal.js';
import { leastBytesOf } from './answer-values.js';
import { readProperties } from './source-values.js';

type EdgeCell = [id: number, source: number, target: number, type: string];

const none = new Map<string, CypherValue>();

/**
 * Converts the text cells of a CompiledQuery's result (`rowMode: 'array'`) to values of the executor in memory. Nodes and edges get no
 * labels and properties here.
 * @throws AnswerTooLargeError before the rows take more bytes than an answer may. A small result can do that: PostgreSQL sends a constant
 *   once, but every row repeats it.
 */
export async function decodeRows(
  compiled: CompiledQuery,
  cells: readonly (readonly (string | null)[])[],
  mostBytes: number,
  pace: Pace,
): Promise<AnswerRow[]> {
  const rows: AnswerRow[] = [];
  let bytes = 0;
  for (const row of cells) {
    const values: CypherValue[] = [];
    let at = 0;
    for (const column of compiled.columns) {
      if (pace.isOverdue) await pace.turn();
      values.push('constant' in column ? column.constant : decodeCell(row[at++] ?? null, column));
    }
    bytes += leastBytesOf(values, mostBytes - bytes);
    if (bytes > mostBytes) throw new AnswerTooLargeError('query', bytes, mostBytes);
    const evidence = compiled.evidence === 'rows' ? row[at] : null;
    rows.push({ values, behind: evidence == null ? null : toBehind(evidence) });
  }
  return rows;
}

function decodeCell(cell: string | null, { type, word, isRounded }: Exclude<CompiledColumn, { constant: unknown }>): CypherValue {
  if (cell === null) return type === 'number' ? 0n : null;
  switch (type) {
    case 'boolean':
      return cell === 'true';
    case 'string':
      return cell;
    case 'integer':
      return BigInt(cell);
    case 'float':
      return Number(cell);
    case 'decimal':
    case 'number':
      return decimalOf(cell, isRounded === true);
    case 'node':
      return nodeOf(Number(cell));
    case 'edge':
      return edgeOf(JSON.parse(cell) as EdgeCell);
    default:
      checkDetail(cell);
      return (
        readProperties(`{"value": ${type === 'date' ? JSON.stringify(cell) : cell}}`, new Map([['value', word ?? type]])).get('value') ??
        null
      );
  }
}

function decimalOf(cell: string, isRounded: boolean): Decimal | null {
  const decimal = Decimal.parse(cell);
  return decimal && isRounded ? new Decimal(decimal.units, decimal.scale, true) : decimal;
}

function nodeOf(id: number): NodeValue {
  return { kind: 'node', id, labels: [], properties: none };
}

function edgeOf([id, source, target, type]: EdgeCell): EdgeValue {
  return { kind: 'edge', id, type, source, target, properties: none };
}

function toBehind(text: string): Behind {
  const { nodes, edges } = JSON.parse(text) as { nodes: number[]; edges: EdgeCell[] };
  return {
    nodes: new Map(nodes.map(id => [id, nodeOf(id)])),
    edges: new Map(edges.map(edge => [edge[0], edgeOf(edge)])),
    isCut: false,
  };
}
