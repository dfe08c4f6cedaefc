import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { fanOut } from '../fan-out.js';
import { TooManyGroupsError } from '../metrics.errors.js';
import { type CompiledStatement, type PlacedScan, RowsOf } from '../plan/sql-assembly.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { type ForeignDialect } from './target-dialect.js';

/** The most groups of one scan that another database hands over. */
export const mostGroups = 50_000;

/** The databases that statements are spread over. */
export interface Engines {
  dialect: ForeignDialect;
  /** Gives the one row of each statement, all at one moment. */
  compute: (statements: readonly SqlStatement[]) => Promise<unknown[][]>;
  /** Runs a statement where the rows are. */
  query: (statement: SqlStatement & { maxRows: number }) => Promise<Pick<QueryResult, 'rows'>>;
}

/**
 * Runs the scans of statements where their rows are, one after the other.
 * @returns the statements with the rows of their scans, for PostgreSQL
 * @throws FanOutJoinError, TooManyGroupsError, NotInDialectError (a time without end), and the errors of both databases
 */
export async function fillRows<T extends CompiledStatement>(statements: readonly T[], engines: Engines): Promise<T[]> {
  const scans = statements.flatMap(({ elsewhere }) => elsewhere);
  const computing = scans.flatMap(({ constants }) => constants ?? []);
  const computed = computing.length === 0 ? [] : await engines.compute(computing);
  const rows = new Map<PlacedScan, string>();
  for (const scan of scans) {
    const constants = scan.constants ? computed[computing.indexOf(scan.constants)]! : [];
    rows.set(scan, JSON.stringify(await readRows(scan, constants, engines)));
  }
  const fill = (value: unknown): unknown => (value instanceof RowsOf ? rows.get(value.scan) : value);
  return statements.map(statement => ({ ...statement, parameters: statement.parameters.map(fill) }));
}

async function readRows(scan: PlacedScan, constants: readonly unknown[], { dialect, query }: Engines): Promise<Record<string, unknown>[]> {
  const timeOf = (index: number): string => {
    const text = constants[index];
    // PostgreSQL has times that others have not: infinity, and years beyond 9999 and before Christ.
    if (typeof text === 'string' && /^\d{4}-\d\d-\d\d( [\d:.]+)?$/.test(text)) return text;
    throw new NotInDialectError(dialect, 'a time without end, or no time');
  };
  const parameters = scan.parameters.map(parameter => ('value' in parameter ? parameter.value : timeOf(parameter.computed)));
  const { rows } = await query({ sql: scan.sql, parameters, maxRows: mostGroups + 1 });
  if (rows.length > mostGroups) throw new TooManyGroupsError(mostGroups);
  const width = scan.columns.length;
  const repeated = scan.joins.find((_, index) => Number(rows[0]?.[width + index] ?? 0) > 0);
  if (repeated) throw fanOut(repeated);
  return rows.map(row => Object.fromEntries(scan.columns.map(({ name }, index) => [name, row[index]])));
}
