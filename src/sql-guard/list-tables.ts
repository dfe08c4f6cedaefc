import { type SqlTree } from './sql-parser.js';
import { type NodeFields } from './walk-tree.js';

/**
 * Lists the tables that an admitted SELECT reads, each once, in the order of the text, by the bare names that the database has for these
 * tables.
 */
export function listTables(tree: SqlTree): string[] {
  const tables = new Set<string>();
  visitTables(tree, table => tables.add(String(table.relname)));
  return [...tables];
}

/**
 * Visits every place where an admitted SELECT names a table. A CTE hides the table of its name in the statements after it and in the main
 * query, but not in its own query: `WITH orders AS (SELECT * FROM orders) …` reads the table. In WITH RECURSIVE a CTE would hide the table
 * in its own query too, but the guard refuses WITH RECURSIVE.
 */
export function visitTables(tree: SqlTree, onTable: (table: NodeFields) => void): void {
  visit(tree, new Set());

  function visit(node: unknown, ctes: ReadonlySet<string>): void {
    if (typeof node !== 'object' || node === null) return;
    const { withClause, RangeVar: table } = node as { withClause?: { ctes: NodeFields[] }; RangeVar?: NodeFields };
    const named = withClause ? new Set(ctes) : ctes;
    for (const cte of withClause?.ctes ?? []) {
      visit(cte, named);
      (named as Set<string>).add(String((cte.CommonTableExpr as NodeFields).ctename));
    }
    if (table && (table.schemaname !== undefined || !ctes.has(String(table.relname)))) onTable(table);
    for (const [key, child] of Object.entries(node)) if (key !== 'withClause' && key !== 'RangeVar') visit(child, named);
  }
}

/**
 * The tables of an admitted SELECT that `qualifier` means before a column: tables with this alias, and tables with this name and no alias.
 */
export function tablesCalled(tree: SqlTree, qualifier: string): string[] {
  const tables = new Set<string>();
  visit(tree);
  return [...tables];

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const { RangeVar: table } = node as { RangeVar?: { relname: string; alias?: { aliasname: string } } };
    if (table && (table.alias?.aliasname ?? table.relname) === qualifier) tables.add(table.relname);
    for (const child of Object.values(node)) visit(child);
  }
}
