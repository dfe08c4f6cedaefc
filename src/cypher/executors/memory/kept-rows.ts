import { type CypherValue } from '../../values/cypher-value.js';
import { keyOfRow } from '../../values/equality.js';
import { bytesOfTable, sizeOf } from '../../values/value-size.js';
import { BehindBuilder, bytesOfBehind } from './behind.js';
import { type RunningQuery } from './running-query.js';
import { type Row } from './scope.js';
import { type Holding } from './work.js';

/** The most nodes and edges that equal rows add to those that are kept, in one clause. */
const mostMerged = 5_000;
/** Equal rows add nothing to further ones, of which an answer would cite nothing. */
const mostCited = 5_000;

/** To keep a row, besides its width. */
const unitsOfKeptRow = 100;

/** The rows that DISTINCT or UNION keeps: the first of equal ones. The others add what they rest on to it. */
export class KeptRows {
  private readonly seen = new Map<string, BehindBuilder | null>();
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
    if (first !== undefined) {
      this.merge(first, row);
      return false;
    }
    this.query.work.spend(unitsOfKeptRow);
    const isCited = this.seen.size < mostCited;
    this.hold(key, isCited ? citing(row) : null);
    return true;
  }

  /** @param isWhole whether all rows were asked for. Those that were not may equal the ones before. */
  end(isWhole: boolean): void {
    if (!isWhole) this.query.hasUncited = true;
    this.holding.release();
  }

  private hold(key: string, behind: BehindBuilder | null): void {
    const { size } = this.seen;
    this.seen.set(key, behind);
    this.holding.add(bytesOfTable(size + 1) - (size === 0 ? 0 : bytesOfTable(size)) + sizeOf(key) + (behind ? bytesOfBehind(behind) : 0));
  }

  private merge(first: BehindBuilder | null, { behind }: Row): void {
    if (first === null) {
      this.query.hasUncited ||= behind !== undefined;
      return;
    }
    const before = first.count;
    if (behind && this.merged < mostMerged) {
      const bytes = bytesOfBehind(first);
      first.add(behind);
      this.merged += first.count - before;
      this.holding.add(bytesOfBehind(first) - bytes);
    } else first.isCut ||= behind !== undefined;
    if (this.isReadAtOnce && (first.count > before || first.isCut)) this.query.hasUncited = true;
  }
}

/** What the row rests on, to which equal ones add theirs. */
function citing(row: Row): BehindBuilder {
  const behind = new BehindBuilder();
  if (row.behind) behind.add(row.behind);
  row.behind = behind;
  return behind;
}
