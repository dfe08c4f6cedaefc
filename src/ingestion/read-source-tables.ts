import { type Bilingual } from '../text/bilingual.js';
import { SchemaError } from '../common/errors/api-error.js';
import { TableTooWideError } from '../warehouse/clients/require-few-columns.js';
import { type TableSummary, type TableCatalog, type WarehouseClient } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection } from '../warehouse/warehouse.service.js';
import { within } from '../warehouse/source-patience.js';
import { unknownTable } from './source-problems.js';
import { type LeftOut, type SourceTable } from '../warehouse/references/source-table.js';
import { mapInTurns } from '../common/turns/pace.js';
import { type TimeLeft } from '../common/turns/time-left.js';

/** The most tables of one draft. With an edge for each table, the draft reaches the 200 elements that a mapping may have. */
export const mostTables = 100;
/** The most left-out tables that a draft names. Further left-out tables are only counted. */
const mostNamed = 1_000;
/** The number of tables described at once, which is half of the places that a client has for reading its catalogue. */
const readersAtOnce = 2;
/** The longest time in milliseconds for reading comments. Comments are worth this wait, but not a wait for a lock on a table. */
const commentsMs = 2_000;
/** The most characters of the name of a table in a mapping. */
const longestName = 127;

export interface SourceTables {
  tables: SourceTable[];
  leftOut: LeftOut[];
  leftOutCount: number;
}

/**
 * Describes the requested tables, or else the first tables of the connection, as far as the time allows.
 * @throws SchemaError for names of tables that the caller cannot read; the errors of `listNames`
 */
export async function readSourceTables(
  connection: UsableConnection,
  requested: string[] | undefined,
  time: TimeLeft,
): Promise<SourceTables> {
  const { client, catalog } = connection;
  const names = await catalog.listNames();
  const byPlace = new Map(names.map(name => [placeOf(client, name), name]));
  const wanted = requested ? await knownNames(client, requested, names, byPlace) : names;
  const chosen = wanted.slice(0, mostTables);
  const leftOut = wanted.slice(mostTables, mostTables + mostNamed).map((table): LeftOut => ({ table, columns: [], reason: tooMany }));
  const comments = await commentsOf(catalog, chosen, requested !== undefined, time);
  const found: (SourceTable | LeftOut)[] = [];
  let next = 0;
  const readOn = async (): Promise<void> => {
    for (let index = next++; index < chosen.length; index = next++) {
      const name = chosen[index]!;
      const table = await readTable(connection, name, comments.get(name) ?? null, time);
      found[index] =
        'reason' in table
          ? table
          : { ...table, foreignKeys: table.foreignKeys.map(key => ({ ...key, table: byPlace.get(placeOf(client, key.table)) ?? '' })) };
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, readOn));
  const tables = found.filter(each => !('reason' in each)) as SourceTable[];
  leftOut.unshift(...found.filter((each): each is LeftOut => 'reason' in each));
  return { tables, leftOut, leftOutCount: wanted.length - tables.length };
}

/**
 * The names of the requested tables as the connection lists them. A request may spell a table with or without its schema.
 * @throws SchemaError for unknown names
 */
async function knownNames(
  client: WarehouseClient,
  requested: string[],
  names: string[],
  byPlace: ReadonlyMap<string, string>,
): Promise<string[]> {
  const found = requested.map(name => byPlace.get(placeOf(client, name)));
  const missing = [...requested.entries()].filter(([index]) => found[index] === undefined);
  const problems = await mapInTurns(missing, ([index, name]) => {
    const { text, suggestion = { zh: '', en: '' } } = unknownTable(name, [], names);
    return { loc: ['body', 'tables', index], text: { zh: text.zh + suggestion.zh, en: text.en + suggestion.en }, type: 'unknown_table' };
  });
  if (problems.length > 0) throw new SchemaError(problems);
  return [...new Set(found as string[])];
}

async function readTable(
  { client, catalog }: UsableConnection,
  name: string,
  comment: string | null,
  time: TimeLeft,
): Promise<SourceTable | LeftOut> {
  const left = (reason: Bilingual): LeftOut => ({ table: name, columns: [], reason });
  const problem = client.nameProblem(name);
  if (problem) return left({ zh: problem.zh, en: problem.en });
  if ([...name].length > longestName) return left(longName);
  if (time.isOver) return left(notInTime);
  const described = await within(time.ms, catalog.describe(name).catch(reasonIfTooWide));
  // The table was dropped after its name was listed.
  if (described === null) return left(gone);
  if (!('columns' in described)) return left(described);
  return { ...described, name, bareName: client.place(name).table, comment };
}

function reasonIfTooWide(error: unknown): Bilingual {
  if (error instanceof TableTooWideError) return error.reason;
  throw error;
}

/** The comments of tables, by the name of the table, as far as they arrive in time. Reading a comment may wait for a lock. */
async function commentsOf(
  catalog: TableCatalog,
  names: string[],
  areRequested: boolean,
  time: TimeLeft,
): Promise<Map<string, string | null>> {
  const comments = new Map<string, string | null>();
  const look = async (): Promise<void> => {
    const note = (found: TableSummary | null): unknown => found && comments.set(found.name, found.comment);
    if (areRequested) for (const name of names) note(await catalog.find(name));
    else (await catalog.list('', mostTables)).forEach(note);
  };
  await within(Math.min(commentsMs, time.ms), look());
  return new Map(comments);
}

function placeOf(client: WarehouseClient, name: string): string {
  const { schema, table } = client.place(name);
  return JSON.stringify([schema, table]);
}

const tooMany = {
  zh: `一次最多起草 ${mostTables} 张表；请在 tables 中写出要起草的表`,
  en: `a draft takes at most ${mostTables} tables; name those that you want in tables`,
};
const longName = { zh: `表名超过 ${longestName} 个字符`, en: `the name of the table has more than ${longestName} characters` };
const notInTime = {
  zh: '时限已到，尚未读取它的列；请在 tables 中只写它与相关的表',
  en: 'its columns were not read in time; name it with the tables around it in tables',
};
const gone = { zh: '表已不存在', en: 'the table is gone' };
