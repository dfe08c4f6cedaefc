import { type FieldProblem } from '../../common/errors/api-error.js';
import { Pace } from '../../common/turns/pace.js';
import { type Bilingual } from '../../text/bilingual.js';
import { cut } from '../../text/cut.js';
import { nearestName } from '../../text/nearest-name.js';
import { type TableDescription, type TableCatalog } from '../clients/warehouse.client.js';
import { copiedColumns } from './copied-columns.js';
import { findCursorFailure } from './cursor-range.js';
import { type TableDefinition } from './mirror-copies.repository.js';
import { findColumnsFailure, keyNeeded } from './plan-table.js';

/** The most characters of a table or column name in a message. */
const shownName = 100;

interface TableProblem extends FieldProblem {
  /** The field of the request's table that has the problem. */
  loc: ['table' | 'cursor' | 'lag' | 'key', ...number[]];
}

/**
 * Finds all reasons, in the source's catalogue, why tables cannot be copied as requested.
 * @param until the time of `performance.now()` after which no further table is checked
 * @throws the errors of the catalogue
 */
export async function findSourceProblems(
  catalog: Pick<TableCatalog, 'describe' | 'listNames'>,
  tables: readonly TableDefinition[],
  until: number,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = [];
  const pace = new Pace();
  let names: string[] | null = null;
  for (const [index, table] of tables.entries()) {
    if (performance.now() >= until) break;
    const description = await catalog.describe(table.source);
    const found = description ? tableProblems(table, description) : [unknownTable(table.source, (names ??= await catalog.listNames()))];
    problems.push(...found.map(problem => ({ ...problem, loc: ['body', 'tables', index, ...problem.loc] })));
    if (pace.isOverdue) await pace.turn();
  }
  return problems;
}

function tableProblems(table: TableDefinition, description: TableDescription): TableProblem[] {
  const { kept } = copiedColumns(description);
  const unfit = findColumnsFailure(kept.length);
  if (unfit) return [{ loc: ['table'], type: unfit.code, text: unfit.text }];
  if (table.mode === 'full') return [];
  const types = new Map(kept.map(({ name, type }) => [name, type]));
  return [...cursorProblems(table, types, description), ...keyProblems(table, types, description)];
}

type Types = ReadonlyMap<string, string>;

function cursorProblems({ cursor, lag }: TableDefinition, types: Types, description: TableDescription): TableProblem[] {
  const type = types.get(cursor!);
  if (type === undefined) return [columnProblem(['cursor'], cursor!, types, description)];
  const failure = findCursorFailure(cursor!, type, lag);
  if (!failure) return [];
  return [{ loc: [failure.code === 'cursor_lag' ? 'lag' : 'cursor'], type: failure.code, text: failure.text }];
}

function keyProblems({ key }: TableDefinition, types: Types, description: TableDescription): TableProblem[] {
  const primary = description.keys.find(each => each.primary)?.columns ?? [];
  if (key.length === 0 && primary.length === 0) return [{ loc: ['key'], type: 'key_needed', text: keyNeeded }];
  const wanted = key.length > 0 ? key : primary;
  return wanted.flatMap((name, place): TableProblem[] =>
    types.has(name) ? [] : [columnProblem(key.length > 0 ? ['key', place] : ['key'], name, types, description)],
  );
}

/** The problem of a requested column that cannot be copied or does not exist. */
function columnProblem(loc: TableProblem['loc'], name: string, types: Types, { columns }: TableDescription): TableProblem {
  const shown = cut(name, shownName);
  if (columns.some(column => column.name === name)) {
    const text = {
      zh: `来源的列 '${shown}' 无法复制，不能用在这里`,
      en: `the column '${shown}' of the source cannot be copied, so it is of no use here`,
    };
    return { loc, type: 'unreadable_column', text };
  }
  const meant = didYouMean(nearestName(name, types.keys()));
  const text = { zh: `来源的表没有列 '${shown}'${meant.zh}`, en: `the table at the source has no column '${shown}'${meant.en}` };
  return { loc, type: 'unknown_column', text };
}

function unknownTable(name: string, names: readonly string[]): TableProblem {
  const meant = didYouMean(nearestName(name, names));
  const text = {
    zh: `来源没有表 '${cut(name, shownName)}'${meant.zh}`,
    en: `the source has no table '${cut(name, shownName)}'${meant.en}`,
  };
  return { loc: ['table'], type: 'unknown_table', text };
}

function didYouMean(meant: string | null): Bilingual {
  if (meant === null) return { zh: '', en: '' };
  return { zh: `，是否想写 '${cut(meant, shownName)}'？`, en: `; did you mean '${cut(meant, shownName)}'?` };
}
