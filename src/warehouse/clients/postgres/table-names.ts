import { type TablePlace } from '../warehouse.client.js';

/**
 * The names of the tables of some schemas, as users write them: bare in the first schema, `schema.table` in the others. A table of the
 * first schema is written with its schema if its bare name would mean a table of another schema. No schema name has a dot.
 */
export class TableNames {
  /**
   * @param schemas the tables of the first one have bare names
   * @param isBare allowed with one schema only: a name is then never split at a dot, so a table name may have dots
   */
  constructor(
    readonly schemas: readonly string[],
    private readonly isBare = false,
  ) {}

  get first(): string {
    return this.schemas[0]!;
  }

  place(name: string): TablePlace {
    const dot = this.isBare ? -1 : name.indexOf('.');
    const schema = name.slice(0, Math.max(0, dot));
    return dot > 0 && this.schemas.includes(schema) ? { schema, table: name.slice(dot + 1) } : { schema: this.first, table: name };
  }

  /**
   * SQL for the name of a table as users write it. The arguments are SQL for the table's schema, for its own name, and for the list of
   * schemas.
   */
  sql(schema: string, table: string, schemas: string): string {
    if (this.isBare) return `${table}::text`;
    return `CASE WHEN ${schema} = (${schemas})[1] AND NOT (strpos(${table}::text, '.') > 0 AND split_part(${table}::text, '.', 1) = ANY (${schemas}))
      THEN ${table}::text ELSE ${schema} || '.' || ${table} END`;
  }
}
