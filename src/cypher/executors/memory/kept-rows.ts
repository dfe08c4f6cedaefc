import { type CypherValue } from '../../values/cypher-value.js';
import { keyOfRow } from '../../values/equality.js';
import { growthOfTable, sizeOf } from '../../values/value-size.js';
import { type Behind, BehindBuilder, bytesOfBehind } from './behind.js';
import { type RunningQuery } from './running-query.js';
import { type Row } from './scope.js';
import { type Holding } from './work.js';

/** Maximum nodes and edges that equal rows add to the evidence of the kept rows, in one clause. */
const mostMerged = 5_000;
/** Maximum rows that are kept with their evidence: an answer cites only the nodes and edges of its first rows. */
const mostCitedRows = 5_000;

/** Work units to keep a row, without the units for the width of the row. */
const unitsOfKeptRow = 100;

/** Rows that DISTINCT or UNION keeps: the first of equal rows. Each later equal row adds its evidence to the kept row. */
export class KeptRows {
  private readonly seen = new Map<string, BehindBuilder | null>();
  private readonly holding: Holding;
  private merged = 0;

  /** @param isReadAtOnce whether the next clause has read the evidence of a row by the time that an equal row comes */
  constructor(
    private readonly query: RunningQuery,
    private readonly isReadAtOnce: boolean,
  ) {
    this.holding = query.work.holding();
  }

  /** Returns false if a row with these values was kept before. Otherwise keeps the row and returns true. */
  take(row: Row, values: readonly CypherValue[]): boolean {
    const key = keyOfRow(values);
    const first = this.seen.get(key);
    if (first !== undefined) {
      this.merge(first, row);
      return false;
    }
    this.query.work.spend(unitsOfKeptRow);
    const isCited = this.seen.size < mostCitedRows;
    this.hold(key, isCited ? citing(row) : null);
    return true;
  }

  /** @param isWhole whether all rows were read. If not, an unread row may equal a kept row, whose evidence then lacks nodes and edges */
  end(isWhole: boolean): void {
    if (!isWhole) this.query.hasUncited = true;
    this.holding.release();
  }

  private hold(key: string, behind: BehindBuilder | null): void {
    this.seen.set(key, behind);
    this.holding.add(growthOfTable(this.seen.size) + sizeOf(key) + (behind ? bytesOfBehind(behind) : 0));
  }

  private merge(first: BehindBuilder | null, { behind }: Row): void {
    if (first === null) {
      this.query.hasUncited ||= restsOnElements(behind);
      return;
    }
    const before = first.count;
    if (behind && this.merged < mostMerged) {
      const bytes = bytesOfBehind(first);
      first.add(behind);
      this.merged += first.count - before;
      this.holding.add(bytesOfBehind(first) - bytes);
    } else first.isCut ||= restsOnElements(behind);
    if (this.isReadAtOnce && (first.count > before || first.isCut)) this.query.hasUncited = true;
  }
}

function restsOnElements(behind: Behind | undefined): boolean {
  return behind !== undefined && (behind.isCut || behind.nodes.size + behind.edges.size > 0);
}

/** Gives the row a new evidence object, to which later equal rows add their evidence. */
function citing(row: Row): BehindBuilder {
  const behind = new BehindBuilder();
  if (row.behind) behind.add(row.behind);
  row.behind = behind;
  return behind;
}
