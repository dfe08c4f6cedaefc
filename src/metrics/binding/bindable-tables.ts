import { mapInTurns } from '../../common/turns/pace.js';
import { fitOfNames, isKeyName, isOwnKey, meaningOf, namesOfRow } from '../../text/key-names.js';
import { type TableColumn } from '../../warehouse/clients/warehouse.client.js';
import { type Referable } from '../../warehouse/references/guess-references.js';
import { keyKind } from '../../warehouse/references/key-kind.js';
import { type SourceTable } from '../../warehouse/references/source-table.js';
import { WarehouseQueryError } from '../../warehouse/warehouse.errors.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { valueTypeOf } from '../translate/target-dialect.js';
import { isIdentifier } from './binding-expressions.js';
import { findTable } from './find-table.js';

/** A table with the columns and keys that a binding can name. */
export interface BindableTable extends SourceTable {
  /**
   * Names of the columns that a binding cannot read: the connection has no right to read the column, the name is not an identifier of at
   * most 63 bytes, or the database is not PostgreSQL and compares the type differently.
   */
  unbindable: string[];
}

/** Maximum tables whose names are compared with a column. 1,000 names take some 10 ms. */
const mostTables = 10_000;

/** The tables of a connection, with the columns that a binding can read. Each table is described once. */
export class BindableTables {
  private readonly described = new Map<string, Promise<BindableTable | null>>();
  private byRow: Promise<ReadonlyMap<string, string[]>> | null = null;

  constructor(private readonly connection: UsableConnection) {}

  /** Describes a table. Null for a table that does not exist, or that SQL cannot name. */
  describe(name: string): Promise<BindableTable | null> {
    const described = this.described.get(name) ?? this.read(name);
    this.described.set(name, described);
    return described;
  }

  /** The tables that a column may refer to, judged by its name, each with the column that seems to be the table's key. */
  async referablesFor(table: SourceTable, column: TableColumn): Promise<Referable[]> {
    if (!isKeyName(column.name)) return [];
    this.byRow ??= this.readNames();
    const byRow = await this.byRow;
    const meaning = meaningOf(column.name).join('');
    // The name of a column ends in the name of a row of the other table. Looking up these endings avoids comparing every table.
    const alike = new Set(Array.from(meaning, (_, at) => byRow.get(meaning.slice(at)) ?? []).flat());
    const fits = [...alike]
      .filter(name => name !== table.name)
      .map(name => ({ name, fit: fitOfNames(column.name, this.connection.client.place(name).table, 'id') }))
      .filter(({ fit }) => fit > 1);
    const best = Math.max(...fits.map(({ fit }) => fit));
    const found: Referable[] = [];
    for (const { name } of fits.filter(({ fit }) => fit === best)) {
      const other = await this.describe(name).catch(nullIfUnreadable);
      if (other) found.push(...referableBy(other, column));
    }
    return found;
  }

  private async read(name: string): Promise<BindableTable | null> {
    const { client } = this.connection;
    const described = await findTable(this.connection, name);
    if (!described) return null;
    const columns = described.columns.filter(
      column => !column.denied && isIdentifier(column.name) && (client.dialect === 'postgres' || valueTypeOf(column.type).kind !== 'other'),
    );
    const names = new Set(columns.map(column => column.name));
    const areNames = (key: { columns: string[] }): boolean => key.columns.every(column => names.has(column));
    return {
      name,
      bareName: client.place(name).table,
      comment: null,
      columns,
      keys: described.keys.filter(areNames),
      foreignKeys: described.foreignKeys.filter(areNames),
      unbindable: described.columns.map(column => column.name).filter(column => !names.has(column)),
    };
  }

  /** The tables by each name that one of their rows may have, such as `customer` for the table `customers`. */
  private async readNames(): Promise<ReadonlyMap<string, string[]>> {
    const { client, catalog } = this.connection;
    const tables = new Map<string, string[]>();
    await mapInTurns((await catalog.listNames()).slice(0, mostTables), name => {
      for (const row of namesOfRow(client.place(name).table)) {
        const named = tables.get(row);
        if (named) named.push(name);
        else tables.set(row, [name]);
      }
    });
    return tables;
  }
}

/** Ignores a table that cannot be read, such as a damaged file or a failing view: the reference to it is only a guess. */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof WarehouseQueryError) return null;
  throw error;
}

/**
 * The key of a table by which a column may refer to it: its declared primary key, else the column with a matching name and kind of
 * type.
 */
function referableBy(table: SourceTable, referring: TableColumn): Referable[] {
  const declared = table.keys.find(({ primary }) => primary)?.columns;
  if (declared) return declared.length === 1 ? [{ table, key: declared[0]! }] : [];
  const named = table.columns.find(
    column => (column.name === referring.name || isOwnKey(column.name, table)) && keyKind(column) === keyKind(referring),
  );
  return named ? [{ table, key: named.name, mayRepeat: true }] : [];
}
