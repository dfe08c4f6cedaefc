import { type CypherValue } from '../values/cypher-value.js';

/** Gathers the values of one group. The caller leaves out repeated values for DISTINCT. */
export interface Accumulator {
  /** About the bytes that it holds, if they grow with the rows. The caller bounds the sum over all groups. */
  readonly bytes?: number;
  add(args: readonly CypherValue[]): void;
  /** Adds the same arguments so many times. Absent where that is no less work than adding them one by one. */
  addTimes?(args: readonly CypherValue[], times: number): void;
  /** The longer part of the way to the result, where there is one; yields where the work should pause. */
  prepare?(isDue: () => boolean): Generator<null, void>;
  result(): CypherValue;
}

export interface AggregateFunction {
  /** As openCypher spells it. */
  readonly name: string;
  readonly least: number;
  readonly most: number;
  start(): Accumulator;
}
