import { type Behind } from './behind.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { extended } from '../../syntax/walk-in-scope.js';

/**
 * Values of all variables of a query, each in its slot; null in the slot of a variable out of scope. `behind` is the evidence of the row.
 * `times` is the number of rows that this row stands for (1 if absent); these rows have equal values in the slots that are read. If only
 * one variable is read, `nodes` is the number of its different nodes in these rows, and no other row stands for any of these nodes.
 */
export type Row = CypherValue[] & { behind?: Behind; times?: number; nodes?: number };

export type Evaluate = (row: Row) => CypherValue;

/** Type of a value as far as it is known before the query runs. `edges` is the list of a variable-length relationship. */
export type StaticType =
  'any' | 'null' | 'boolean' | 'integer' | 'float' | 'string' | 'list' | 'map' | 'node' | 'edge' | 'edges' | 'path' | 'temporal';

export interface Variable {
  slot: number;
  type: StaticType;
}

// These two functions are outside the generators that call them. Otherwise V8 might keep all values that a closure in a generator's loop
// has used, as long as the generator lives.

export function valuesIn(row: Row, columns: readonly { slot: number }[]): CypherValue[] {
  return columns.map(({ slot }) => row[slot] ?? null);
}

export function valuesOf(evaluations: readonly Evaluate[], row: Row): CypherValue[] {
  return evaluations.map(evaluate => evaluate(row));
}

/** The slots of one query. */
export class Frame {
  private used = 0;
  private readonly read = new Set<number>();

  get size(): number {
    return this.used;
  }

  take(): number {
    return this.used++;
  }

  /**
   * Records that an expression or a later pattern reads the whole value in a slot. All expressions and patterns are compiled before the
   * query runs, so the record is complete by then.
   */
  markRead(slot: number): void {
    this.read.add(slot);
  }

  /**
   * Whether the list or path in a slot must be complete. A list or path that no expression reads has only its first edges, as evidence of
   * the row.
   */
  isRead(slot: number): boolean {
    return this.read.has(slot);
  }

  emptyRow(): Row {
    return new Array<CypherValue>(this.used).fill(null);
  }
}

/** The variables that an expression sees. */
export class Scope {
  constructor(
    readonly frame: Frame,
    readonly variables: ReadonlyMap<string, Variable> = new Map(),
  ) {}

  find(name: string): Variable | undefined {
    return this.variables.get(name);
  }

  /** The scope with one more variable, which hides a variable of the same name. */
  with(name: string, type: StaticType): { scope: Scope; slot: number } {
    const slot = this.frame.take();
    return { scope: new Scope(this.frame, extended(this.variables, [[name, { slot, type }]])), slot };
  }
}
