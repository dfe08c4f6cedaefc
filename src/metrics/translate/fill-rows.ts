import { Pace } from '../../common/turns/pace.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { fanOut } from '../fan-out.js';
import { TooManyGroupsError } from '../metrics.errors.js';
import { type CompiledStatement, type PlacedScan, RowsOf } from '../plan/sql-assembly.js';
import { checkedList, partOf } from './handed-list.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { type ForeignDialect } from './target-dialect.js';

/** Maximum groups that one scan reads from another database. */
export const mostGroups = 50_000;
/** Maximum characters of the groups of all scans of a request, as JSON. */
const mostCharacters = 64_000_000;

/** The two databases that run a request: the service's own PostgreSQL (`compute`) and the database with the rows (`query`). */
export interface Engines {
  dialect: ForeignDialect;
  /** Runs statements that return one row each, in one snapshot of PostgreSQL. @returns the row of each statement */
  compute: (statements: readonly SqlStatement[]) => Promise<unknown[][]>;
  /** Runs a statement in the database that holds the rows. */
  query: (statement: SqlStatement & { maxRows: number }) => Promise<Pick<QueryResult, 'rows'>>;
}

/**
 * Runs the scans of statements in the database that holds the rows, one after another.
 * @returns the statements for PostgreSQL, with the rows of their scans as parameters
 * @throws FanOutJoinError, TooManyGroupsError, the errors of `bindScans`, and those of both databases
 */
export async function fillRows<T extends CompiledStatement>(statements: readonly T[], engines: Engines): Promise<T[]> {
  const rows: ScanRows = new Map();
  let length = 0;
  for await (const { scan, statement } of bindScans(statements, engines, rows)) {
    const text = await readRows(scan, statement, engines);
    length += text.length;
    if (length > mostCharacters) throw new TooManyGroupsError(mostGroups, mostCharacters);
    rows.set(scan, text);
  }
  return statements.map(statement => withRows(statement, rows));
}

/** The groups of each scan, as the text of a JSON array. */
type ScanRows = Map<PlacedScan, string>;

/**
 * Yields the scans of statements in their order, with the parameters filled in: the times and lists that PostgreSQL computes for them.
 * @param rows the rows of the scans that were read so far, which the caller adds; the rows of a scan that is not read yet count as empty
 * @throws NotInDialectError (a time without end), TooLongListError, and the errors of PostgreSQL
 */
export async function* bindScans(
  statements: readonly CompiledStatement[],
  { dialect, compute }: Pick<Engines, 'dialect' | 'compute'>,
  rows: ScanRows = new Map(),
): AsyncGenerator<{ scan: PlacedScan; statement: SqlStatement }> {
  const scans = statements.flatMap(({ elsewhere }) => elsewhere);
  const computing = scans.flatMap(({ constants }) => constants ?? []);
  const computed = computing.length === 0 ? [] : await compute(computing);
  const lists = new Map<SqlStatement, string>();
  const all = new Set(scans.flatMap(({ parameters }) => parameters.flatMap(each => ('list' in each ? [each.list] : []))));
  const isReady = ({ parameters }: SqlStatement): boolean => parameters.every(value => !(value instanceof RowsOf) || rows.has(value.scan));
  for (const scan of scans) {
    const own = new Set(scan.parameters.flatMap(each => ('list' in each ? [each.list] : [])));
    // Lists of later scans are computed as soon as possible, so that a list that is too long is refused before further scans run.
    for (const list of all) {
      if (lists.has(list) || !(own.has(list) || isReady(list))) continue;
      const [row] = await compute([withRows(list, rows)]);
      lists.set(list, checkedList(row!, dialect));
    }
    const constants = scan.constants ? computed[computing.indexOf(scan.constants)]! : [];
    const parameters = scan.parameters.map(parameter => {
      if ('list' in parameter) return partOf(lists.get(parameter.list)!, parameter);
      return 'value' in parameter ? parameter.value : timeOf(constants[parameter.computed], dialect);
    });
    yield { scan, statement: { sql: scan.sql, parameters } };
  }
}

function withRows<T extends SqlStatement>(statement: T, rows: ScanRows): T {
  const fill = (value: unknown): unknown => (value instanceof RowsOf ? (rows.get(value.scan) ?? '[]') : value);
  return { ...statement, parameters: statement.parameters.map(fill) };
}

/**
 * The text of a time in the form of a dialect.
 * @param text as PostgreSQL computes it, with its era: `0044-03-15 BC`
 * @throws NotInDialectError for a time that the dialect lacks: infinity, a year beyond 9999, and BC but on DuckDB
 */
function timeOf(text: unknown, dialect: ForeignDialect): string {
  // No dialect reads infinity or years beyond 9999 as PostgreSQL does, and DuckDB alone has years before Christ.
  const [, day, clock = '', era] = /^(\d{4}-\d\d-\d\d)( [\d:.]+)? (AD|BC)$/.exec(typeof text === 'string' ? text : '') ?? [];
  if (day === undefined) throw new NotInDialectError(dialect, 'a time without end, or no time');
  if (era === 'AD') return `${day}${clock}`;
  if (dialect !== 'duckdb') throw new NotInDialectError(dialect, 'a time before Christ');
  return `${day} (BC)${clock}`;
}

/**
 * Reads the groups of a scan as a JSON array of objects. The text is written in turns, because there may be many groups.
 * @throws TooManyGroupsError beyond `mostGroups`
 * @throws FanOutJoinError if a join repeats rows
 */
async function readRows(scan: PlacedScan, statement: SqlStatement, { query }: Engines): Promise<string> {
  const { rows } = await query({ ...statement, maxRows: mostGroups + 1 });
  if (rows.length > mostGroups) throw new TooManyGroupsError(mostGroups, mostCharacters);
  const width = scan.columns.length;
  const repeated = scan.joins.find((_, index) => Number(rows[0]?.[width + index] ?? 0) > 0);
  if (repeated) throw fanOut(repeated);
  const pace = new Pace();
  let text = '';
  for (const row of rows) {
    text += `${text && ','}${JSON.stringify(Object.fromEntries(scan.columns.map(({ name }, index) => [name, row[index]])))}`;
    if (pace.isOverdue) await pace.turn();
  }
  return `[${text}]`;
}
