import { Pace } from '../../common/turns/pace.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { fanOut } from '../fan-out.js';
import { TooManyGroupsError } from '../metrics.errors.js';
import { type CompiledStatement, type PlacedScan, RowsOf } from '../plan/sql-assembly.js';
import { checkedList, partOf } from './handed-list.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import { type ForeignDialect } from './target-dialect.js';

/** The most groups of one scan that another database hands over. */
export const mostGroups = 50_000;
/** The most characters that the groups of all scans of a request take as JSON. */
const mostCharacters = 64_000_000;

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

/** The groups of scans, as texts of JSON. */
type ScanRows = Map<PlacedScan, string>;

/**
 * The scans of statements in their order, with the times and lists that PostgreSQL computes for them.
 * @param rows those of the scans before, once they are read; a list that needs others is empty
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
    // One that is too long is refused before further scans are read.
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

function timeOf(text: unknown, dialect: ForeignDialect): string {
  // PostgreSQL has times that others have not: infinity, and years beyond 9999 and before Christ.
  if (typeof text === 'string' && /^\d{4}-\d\d-\d\d( [\d:.]+)?$/.test(text)) return text;
  throw new NotInDialectError(dialect, 'a time without end, or no time');
}

/** The groups of a scan as a JSON array of objects, written in turns. */
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
