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
  /** Its other columns: they have a type that other databases do not compare as PostgreSQL does, or a name that SQL cuts. */
  unbindable: string[];
}

/** Tables whose names are looked at, which takes some 10 ms for 1,000 of them. */
const mostTables = 10_000;

/** The tables of a connection as a binding can read them. Each is described once. */
export class BindableTables {
  private readonly described = new Map<string, Promise<BindableTable | null>>();
  private byRow: Promise<ReadonlyMap<string, string[]>> | null = null;

  constructor(private readonly connection: UsableConnection) {}

  /** Null for a table that is not there, or that SQL cannot name. */
  describe(name: string): Promise<BindableTable | null> {
    const described = this.described.get(name) ?? this.read(name);
    this.described.set(name, described);
    return described;
  }

  /** The tables whose rows the name of a column means, each with the column that seems to be its key. */
  async referablesFor(table: SourceTable, column: TableColumn): Promise<Referable[]> {
    if (!isKeyName(column.name)) return [];
    this.byRow ??= this.readNames();
    const byRow = await this.byRow;
    const meaning = meaningOf(column.name).join('');
    // The name of a column ends in that of a row, so that not every table is compared with it.
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
      column => isIdentifier(column.name) && (client.dialect === 'postgres' || valueTypeOf(column.type).kind !== 'other'),
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

  /** Tables by all names of their rows. */
  private async readNames(): Promise<ReadonlyMap<string, string[]>> {
    const { client, catalog } = this.connection;
    const tables = new Map<string, string[]>();
    for (const name of (await catalog.listNames()).slice(0, mostTables))
      for (const row of namesOfRow(client.place(name).table)) tables.set(row, [...(tables.get(row) ?? []), name]);
    return tables;
  }
}

/** A table that only seems to be referred to, such as a damaged file or a view that fails, is left out. */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof WarehouseQueryError) return null;
  throw error;
}

/** By the declared key of the table, else by the column that is named like it, of the type of `referring`. */
function referableBy(table: SourceTable, referring: TableColumn): Referable[] {
  const declared = table.keys.find(({ primary }) => primary)?.columns;
  if (declared) return declared.length === 1 ? [{ table, key: declared[0]! }] : [];
  const named = table.columns.find(
    column => (column.name === referring.name || isOwnKey(column.name, table)) && keyKind(column) === keyKind(referring),
  );
  return named ? [{ table, key: named.name, mayRepeat: true }] : [];
}
