import { type Behind } from './behind.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { extended } from '../../syntax/walk-in-scope.js';

/**
 * The values of all variables of a query, each in its slot. A variable out of scope leaves null. `behind` is what the row rests on, and
 * `times` the number of rows that it stands for, one if absent; of those, only what is read of
 * them is the same. `nodes` is the number of their different nodes, if only one variable is read; no other row stands for the same ones.
 */
export type Row = CypherValue[] & { behind?: Behind; times?: number; nodes?: number };

export type Evaluate = (row: Row) => CypherValue;

/** What is known of a value before the query runs. `edges` is the list of a variable-length relationship. */
export type StaticType =
  'any' | 'null' | 'boolean' | 'integer' | 'float' | 'string' | 'list' | 'map' | 'node' | 'edge' | 'edges' | 'path' | 'temporal';

export interface Variable {
  slot: number;
  type: StaticType;
}

// Outside of generators: V8 may keep what a closure in the loop of a generator has used, for as long as somebody refers to the generator.

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

  /** Notes that an expression, or a pattern behind, reads the whole value in a slot. All of them are compiled before the query runs. */
  markRead(slot: number): void {
    this.read.add(slot);
  }

  /** Whether the list or path in a slot has to be whole. Of one that nobody reads only the evidence of the row is taken. */
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

  /** The scope with one more variable, which hides one of the same name. */
  with(name: string, type: StaticType): { scope: Scope; slot: number } {
    const slot = this.frame.take();
    return { scope: new Scope(this.frame, extended(this.variables, [[name, { slot, type }]])), slot };
  }
}
