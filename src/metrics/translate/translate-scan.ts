import { type SqlStatement } from '../../sql/sql-parameters.js';
import { functionName, type Node } from './constant-sql.js';
import { type HandedLists } from './handed-list.js';
import { measureOf } from './measure-of.js';
import { RankedRows } from './ranked-rows.js';
import { findIn, hasField, selectOf, SelectTranslator } from './select-translator.js';
import { columnTypeOf, numberType, type Target, type Typed, type ValueType } from './target-dialect.js';
import { TargetParameters, type TargetParameter } from './target-parameters.js';

/** A PostgreSQL statement that reads rows without grouping them, with a description of the groups to make of them. */
export interface ScanTemplate {
  statement: SqlStatement;
  /** Number of columns that are keys. `dimensions` columns follow, then the aggregates. */
  keys: number;
  dimensions: number;
  /** The names of all columns of the statement. */
  names: readonly string[];
  levels: readonly number[];
  isLevelled: boolean;
  lists: HandedLists;
  /** SELECTs of the keys of joined tables. No two rows of a table may have equal keys. */
  uniqueKeys: readonly SqlStatement[];
}

/** A scan in the SQL of the target. Its result has texts, which PostgreSQL reads as the types of the columns. */
export interface TranslatedScan {
  sql: string;
  parameters: TargetParameter[];
  /** Statement by which PostgreSQL computes parameters of the scan beforehand, as one row of texts. Null if no parameter is computed. */
  constants: SqlStatement | null;
  /** The first columns of the result, with the PostgreSQL types that read them. */
  columns: { name: string; type: string }[];
  /** Number of columns that follow `columns`: one for each of the unique keys, with the number of key values that occur more than once. */
  repeats: number;
}

/** A column that PostgreSQL computes from the scan's result: its name, and SQL over the columns of the result. */
export interface LocalColumn {
  name: string;
  sql: string;
}

/** @throws NotInDialectError */
export function translateScan(template: ScanTemplate, target: Target): { scan: TranslatedScan; local: LocalColumn[] } {
  const parameters = new TargetParameters();
  const translator = new SelectTranslator(target, parameters, template.lists);
  const { dialect } = target;
  const { keys, dimensions, names, levels, isLevelled } = template;
  const select = selectOf(template.statement);
  const relation = translator.from(select, template.statement.parameters);
  const targets = (select.targetList as { ResTarget: { val: unknown } }[]).map(({ ResTarget }) => ResTarget.val);
  const values = template.statement.parameters;
  const ofRows = (node: unknown): Typed => translator.expression(node, relation.scope, values);
  const ranked =
    !dialect.sortedValue && hasField(targets, 'agg_within_group')
      ? new RankedRows(dialect, { find: findIn(relation.scope), expression: ofRows })
      : null;
  const expression = (node: unknown): Typed => translator.expression(node, relation.scope, values, ranked?.find);

  // Rows are grouped by the start of a period, so that its text is computed once for each group.
  const plain = targets.slice(0, keys + dimensions).map((node, index) => {
    const start = isDayText(node) ? ((node as Node).FuncCall!.args as unknown[])[0] : null;
    return {
      name: names[index]!,
      ...expression(node),
      group: start === null ? String(index + 1) : expression(start).sql,
      key: start ?? node,
    };
  });
  const context = { dialect, parameters, ranked, refuse: (construct: string): never => translator.refuse(construct) };
  const measures = targets
    .slice(keys + dimensions)
    .map((node, index) => measureOf(node, names[keys + dimensions + index]!, context, expression));
  const all = [...plain, ...measures.flatMap(({ columns }) => columns)];
  const level = isLevelled ? [{ ...numberType(10), name: 'level', sql: '' }] : [];
  const typed = [...plain, ...level, ...measures.flatMap(({ columns }) => columns)];
  const source = `${relation.sql}${translator.where(select, relation, values)}`;

  const ofLevel = (bits: number): string => {
    const isKept = (index: number): boolean => index < keys || !(bits & (1 << (keys + dimensions - 1 - index)));
    const list = typed.map(column => {
      if (column.name === 'level') return `${bits} AS ${dialect.quote('level')}`;
      const index = all.indexOf(column);
      const sql = index >= plain.length || isKept(index) ? column.sql : translator.nullOf(column);
      return `${sql} AS ${dialect.quote(column.name)}`;
    });
    const kept = plain.filter((_, index) => isKept(index));
    const from = ranked
      ? ranked.from(
          source,
          kept.map(({ key }) => ofRows(key)),
        )
      : source;
    const by = new Set(kept.map(({ group }) => group));
    return `SELECT ${list.join(', ') || '1'}\nFROM ${from}${by.size > 0 ? `\nGROUP BY ${[...by].join(', ')}` : ''}`;
  };
  const grouped = [0, ...levels].map(ofLevel).join('\nUNION ALL\n');
  const quote = (name: string): string => dialect.quote(name);
  // The counts are joined, because ClickHouse runs scalar subqueries even when it only explains a statement.
  const repeats = template.uniqueKeys.map(
    (statement, index) => `\nCROSS JOIN (${translator.countRepeats(statement, `repeats${index}`)}) AS ${quote(`p${index}`)}`,
  );
  const shown = typed.map(column => dialect.toText({ ...column, sql: `${quote('g')}.${quote(column.name)}` }));
  const list = [...shown, ...repeats.map((_, index) => `${quote(`p${index}`)}.${quote(`repeats${index}`)}`)];
  const named = list.map((sql, index) => `${sql} AS ${quote(`c${index}`)}`);
  const finished = parameters.finish(
    `SELECT ${named.join(', ')}\nFROM (\n${grouped}\n) AS ${quote('g')}${repeats.join('')}${dialect.suffix}`,
    position => dialect.placeholder(position),
  );
  const local = [
    ...plain.map(({ name }) => ({ name, sql: `"${name}"` })),
    ...level.map(({ name }) => ({ name, sql: `"${name}"` })),
    ...measures.map(({ name, local }) => ({ name, sql: local })),
  ];
  const columns = typed.map(({ name, ...type }) => ({ name, type: columnTypeOf(type) }));
  return { scan: { ...finished, constants: parameters.constants, columns, repeats: repeats.length }, local };
}

/** The statement translated with LIMIT 0, and the types of its columns. @throws NotInDialectError */
export function translateProbe(statement: SqlStatement, target: Target): SqlStatement & { columns: ValueType[] } {
  const parameters = new TargetParameters();
  const { sql, columns } = new SelectTranslator(target, parameters).select(selectOf(statement), statement.parameters);
  return { ...alone(`${sql}\nLIMIT 0`, parameters, target), columns: [...columns.values()] };
}

/** A SELECT of one row that counts, for each SELECT of a key, the key values that occur more than once. @throws NotInDialectError */
export function translateRepeats(statements: readonly SqlStatement[], target: Target): SqlStatement {
  const parameters = new TargetParameters();
  const translator = new SelectTranslator(target, parameters);
  const counts = statements.map(
    (statement, index) => `(${translator.countRepeats(statement, 'repeats')}) AS ${target.dialect.quote(`repeats${index}`)}`,
  );
  return alone(`SELECT ${counts.join(', ')}`, parameters, target);
}

/** Finishes a statement that runs alone. Its computed parameters get samples instead of the values that PostgreSQL would compute. */
function alone(sql: string, parameters: TargetParameters, { dialect }: Target): SqlStatement {
  const finished = parameters.finish(`${sql}${dialect.suffix}`, position => dialect.placeholder(position));
  const sampleOf = (parameter: TargetParameter): string => {
    if ('list' in parameter) throw new Error('Only a scan is handed lists');
    return 'value' in parameter ? parameter.value : parameter.sample;
  };
  return { sql: finished.sql, parameters: finished.parameters.map(sampleOf) };
}

function isDayText(node: unknown): boolean {
  const { FuncCall } = node as Node;
  return FuncCall !== undefined && functionName(FuncCall) === 'to_char';
}
