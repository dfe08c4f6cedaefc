import { callsOf, namesOfRow, withWord, wordsOf } from '../../text/key-names.js';
import { type TableColumn } from '../clients/warehouse.client.js';
import { type Referable } from './guess-references.js';
import { type SourceTable } from './source-table.js';

/**
 * Index of tables by the names that a referring column may have. It avoids a comparison of every column with every table: 100 tables of
 * 1,600 columns would be 16 million comparisons.
 */
export class ReferablesByName {
  private readonly byRow = new Map<string, number[]>();
  private readonly byKey = new Map<string, number[]>();
  private readonly own = new Map<SourceTable, number>();

  constructor(private readonly referables: readonly Referable[]) {
    referables.forEach(({ table, key }, index) => {
      const { comment } = table.columns.find(({ name }) => name === key)!;
      this.own.set(table, index);
      for (const name of withWord(table.bareName, table.comment)) for (const row of namesOfRow(name)) note(this.byRow, row, index);
      for (const name of withWord(key, comment)) note(this.byKey, wordsOf(name).join(''), index);
    });
  }

  /** The tables whose name or key fits the name or comment of `column`, and `table` itself, in the order of `referables`. */
  for(table: SourceTable, column: TableColumn): Referable[] {
    const found = new Set<number>();
    const own = this.own.get(table);
    if (own !== undefined) found.add(own);
    for (const name of withWord(column.name, column.comment)) {
      // A column may begin with a role and end with the name of a row: `billing_customer_id`, 上级部门编号.
      for (const call of callsOf(name))
        for (let at = 0; at < call.length; at++) for (const index of this.byRow.get(call.slice(at)) ?? []) found.add(index);
      for (const index of this.byKey.get(wordsOf(name).join('')) ?? []) found.add(index);
    }
    return [...found].sort((a, b) => a - b).map(index => this.referables[index]!);
  }
}

function note(map: Map<string, number[]>, name: string, index: number): void {
  const noted = map.get(name);
  if (noted) noted.push(index);
  else map.set(name, [index]);
}
