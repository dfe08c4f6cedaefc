import { spend } from '../../syntax/effort.js';
import { type Rows } from './running-query.js';
import { type Row } from './scope.js';

/** Work units to set up and end a generator, even if it gives no row. */
const unitsOfGenerator = 15;

/**
 * Yields the rows of a generator, and drops the generator when it has ended. V8 may keep the last values of a generator's variables as long
 * as something refers to the generator, and each clause refers to the generator of the clause before. Without this, a list that is no
 * longer needed would stay in memory without being counted.
 */
export function forgotten(rows: Rows): Rows {
  spend(unitsOfGenerator);
  return new ForgottenRows(rows);
}

type Next = IteratorResult<Row | null, void>;

class ForgottenRows implements Rows {
  constructor(private rows: Rows | null) {}

  next(): Next {
    const next = this.rows?.next() ?? ended;
    if (next.done) this.rows = null;
    return next;
  }

  return(): Next {
    const { rows } = this;
    this.rows = null;
    return rows?.return() ?? ended;
  }

  throw(error: unknown): Next {
    const { rows } = this;
    this.rows = null;
    if (rows === null) throw error;
    return rows.throw(error);
  }

  [Symbol.iterator](): Rows {
    return this;
  }

  [Symbol.dispose](): void {
    this.return();
  }
}

const ended: IteratorReturnResult<void> = { done: true, value: undefined };
