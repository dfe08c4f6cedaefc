import { type CypherValue } from '../../values/cypher-value.js';
import { keyOfRow } from '../../values/equality.js';
import { BehindBuilder } from './behind.js';
import { type RunningQuery } from './running-query.js';
import { type Row } from './scope.js';
import { type Holding } from './work.js';

/** The most nodes and edges that equal rows add to those that are kept, in one clause. */
const mostMerged = 5_000;

/** To keep a row, besides its width. */
const unitsOfKeptRow = 100;

/** The rows that DISTINCT or UNION keeps: the first of equal ones. The others add what they rest on to it. */
export class KeptRows {
  private readonly seen = new Map<string, BehindBuilder>();
  private readonly holding: Holding;
  private merged = 0;

  /** @param isReadAtOnce whether the clause behind has read what a row rests on by the time that an equal one comes */
  constructor(
    private readonly query: RunningQuery,
    private readonly isReadAtOnce: boolean,
  ) {
    this.holding = query.work.holding();
  }

  /** Whether no row with these values came before. */
  take(row: Row, values: readonly CypherValue[]): boolean {
    const key = keyOfRow(values);
    const first = this.seen.get(key);
    if (first) {
      this.merge(first, row);
      return false;
    }
    this.query.work.spend(unitsOfKeptRow);
    const behind = new BehindBuilder();
    if (row.behind) behind.add(row.behind);
    row.behind = behind;
    this.seen.set(key, behind);
    this.holding.add(2 * key.length + 64);
    return true;
  }

  /** @param isWhole whether all rows were asked for. Those that were not may equal the ones before. */
  end(isWhole: boolean): void {
    if (!isWhole) this.query.hasUncited = true;
    this.holding.release();
  }

  private merge(first: BehindBuilder, { behind }: Row): void {
    const before = first.count;
    if (behind && this.merged < mostMerged) {
      first.add(behind);
      this.merged += first.count - before;
    } else first.isCut ||= behind !== undefined;
    if (this.isReadAtOnce && (first.count > before || first.isCut)) this.query.hasUncited = true;
  }
}
