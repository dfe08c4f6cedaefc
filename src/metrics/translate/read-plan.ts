import { parseForeignJson } from '../../common/json/measure-json.js';
import { type PlanStep } from '../estimate-cost.js';
import { type ForeignDialect } from './target-dialect.js';

/** Runs a statement with `EXPLAIN …` in front of it. Returns the rows of its result, with the names of their columns. */
export type Explain = (explaining: string) => Promise<Record<string, unknown>[]>;

/** Returns the table that a plan refers to by a name. Undefined for tables that the caller may not know about. */
export type NameTable = (name: string) => string | undefined;

/**
 * Reads a database's plan of a statement, without running the statement. Rows are the database's estimate, or null without an estimate.
 * Costs are null, because the costs of these databases cannot be compared.
 */
export const readPlan: Readonly<Record<ForeignDialect, (explain: Explain, nameTable: NameTable) => Promise<PlanStep>>> = {
  mysql: async (explain, nameTable) => {
    const rows = await explain('EXPLAIN ');
    return parent(
      'SELECT',
      rows.filter(({ table }) => typeof table === 'string').map(row => mysqlStep(row, nameTable)),
    );
  },
  duckdb: async (explain, nameTable) => {
    const [{ plan } = {}] = await explain('EXPLAIN (FORMAT JSON) ');
    return parent(
      'SELECT',
      (parseForeignJson(String(plan)) as DuckdbNode[]).map(node => duckdbStep(node, nameTable)),
    );
  },
  clickhouse: async (explain, nameTable) => {
    const read = new Map<string, number>();
    for (const { table, rows } of await explain('EXPLAIN ESTIMATE ')) read.set(String(table), Number(rows));
    const lines = await explain('EXPLAIN PLAN json = 1 ');
    const plans = parseForeignJson(lines.map(({ explain: line }) => String(line)).join('\n')) as { Plan: ClickHouseNode }[];
    return parent(
      'SELECT',
      plans.map(({ Plan }) => clickHouseStep(Plan, nameTable, read)),
    );
  },
};

function parent(step: string, inputs: PlanStep[]): PlanStep {
  return { step, rows: null, cost: null, inputs };
}

function withTable(table: string | undefined): Pick<PlanStep, 'table'> {
  return table === undefined ? {} : { table };
}

/**
 * The step of one line of MySQL's EXPLAIN. It has one line for each table, in the order in which tables are joined.
 * https://dev.mysql.com/doc/refman/8.4/en/explain-output.html
 */
function mysqlStep({ table, type, key, rows }: Record<string, unknown>, nameTable: NameTable): PlanStep {
  const name = String(table);
  const step = name.startsWith('<') ? 'groups' : [type, ...(typeof key === 'string' ? ['by index'] : [])].join(' ');
  return { step, ...withTable(nameTable(name)), rows: rows === null ? null : Number(rows), cost: null };
}

interface DuckdbNode {
  name: string;
  children: DuckdbNode[];
  extra_info: { Table?: string; 'Estimated Cardinality'?: string };
}

function duckdbStep({ name, children, extra_info: info }: DuckdbNode, nameTable: NameTable): PlanStep {
  const rows = info['Estimated Cardinality'];
  return {
    step: name,
    ...withTable(nameTable(info.Table?.split('.').at(-1) ?? '')),
    rows: rows === undefined ? null : Number(rows),
    cost: null,
    ...(children.length > 0 && { inputs: children.map(child => duckdbStep(child, nameTable)) }),
  };
}

interface ClickHouseNode {
  'Node Type': string;
  Description?: string;
  Plans?: ClickHouseNode[];
}

function clickHouseStep(node: ClickHouseNode, nameTable: NameTable, read: ReadonlyMap<string, number>): PlanStep {
  const step = node['Node Type'];
  const table = step.startsWith('Read') ? nameTable(node.Description?.split('.').at(-1) ?? '') : undefined;
  return {
    step,
    ...withTable(table),
    rows: table === undefined ? null : (read.get(table) ?? null),
    cost: null,
    ...(node.Plans && { inputs: node.Plans.map(each => clickHouseStep(each, nameTable, read)) }),
  };
}

/** The number of rows that plans read from tables. Null if it is not known for every table. */
export function rowsRead(plans: readonly PlanStep[]): number | null {
  const read = plans.flatMap(tablesOf);
  // The plan of a view names only the tables behind the view. `NameTable` does not know those, so `read` is empty.
  return read.length === 0 || read.some(({ rows }) => rows === null) ? null : read.reduce((sum, { rows }) => sum + rows!, 0);
}

function tablesOf(step: PlanStep): PlanStep[] {
  return [...(step.table === undefined ? [] : [step]), ...(step.inputs ?? []).flatMap(tablesOf)];
}
