import { type SqlStatement } from '../sql/sql-parameters.js';
import { type SnapshotQuery } from '../warehouse/clients/postgres/postgres-reads.js';

/**
 * A step of a plan, with the steps that it reads. Costs are in the unit of the engine, and contain those of the inputs. Numbers that an
 * engine does not tell are null.
 */
export interface PlanStep {
  step: string;
  table?: string;
  rows: number | null;
  cost: number | null;
  inputs?: PlanStep[];
}

export interface CostEstimate {
  /** The rows of the first statement; of other databases than PostgreSQL those that are read. */
  rows: number | null;
  /** Sum over all statements; null if the engine does not tell it. */
  cost: number | null;
  /** One for each statement. */
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
 * Asks PostgreSQL for its plans of statements, without running them. Only the steps, the numbers and the named tables of a plan are
 * kept: its conditions may be those of a view or a row policy that is hidden from the caller.
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
