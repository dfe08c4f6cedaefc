import { type SqlStatement } from '../sql/sql-parameters.js';
import { type SnapshotQuery } from '../warehouse/clients/postgres/postgres-reads.js';

/**
 * A step of a plan, with the steps that it reads as `inputs`. Costs are in the unit of the database, and include the costs of the inputs. A
 * number is null if the database does not report it.
 */
export interface PlanStep {
  step: string;
  table?: string;
  rows: number | null;
  cost: number | null;
  inputs?: PlanStep[];
}

export interface CostEstimate {
  /** PostgreSQL: estimated rows of the first statement. Other databases: estimated rows that are read. Null if not known. */
  rows: number | null;
  /** Sum of the costs of all statements; null if the database does not report costs. */
  cost: number | null;
  /** The plan of each statement. */
  plans: PlanStep[];
}

interface PostgresPlan {
  'Node Type': string;
  'Relation Name'?: string;
  'Plan Rows': number;
  'Total Cost': number;
  Plans?: PostgresPlan[];
}

/**
 * Asks PostgreSQL for its plans of statements, which are not run. Only the steps, the numbers and the tables in `tables` are kept.
 * Conditions are left out, because they may come from a view or a row policy that the caller must not see.
 */
export async function estimateCost(
  query: SnapshotQuery,
  statements: readonly SqlStatement[],
  tables: ReadonlySet<string>,
): Promise<CostEstimate> {
  const plans: PlanStep[] = [];
  for (const { sql, parameters } of statements) {
    const { rows } = await query({ sql: `EXPLAIN (FORMAT JSON) ${sql}`, parameters, maxRows: 1 });
    const [explained] = rows[0]![0] as [{ Plan: PostgresPlan }];
    plans.push(toStep(explained.Plan, tables));
  }
  return { rows: plans[0]!.rows, cost: plans.reduce((sum, plan) => sum + plan.cost!, 0), plans };
}

function toStep(plan: PostgresPlan, tables: ReadonlySet<string>): PlanStep {
  const table = plan['Relation Name'];
  return {
    step: plan['Node Type'],
    ...(table !== undefined && tables.has(table) && { table }),
    rows: Number(plan['Plan Rows']),
    cost: Number(plan['Total Cost']),
    ...(plan.Plans && { inputs: plan.Plans.map(each => toStep(each, tables)) }),
  };
}
