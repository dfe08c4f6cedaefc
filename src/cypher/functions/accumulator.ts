import { type CypherValue } from '../values/cypher-value.js';

/** Collects the values of one group for an aggregate. With DISTINCT the caller passes each value once. */
export interface Accumulator {
  /** Approximate bytes that the accumulator holds, if they grow with the rows. The caller bounds the sum over all groups. */
  readonly bytes?: number;
  add(args: readonly CypherValue[]): void;
  /** Adds the same arguments `times` times. Absent if this costs as much as `times` calls of `add`. */
  addTimes?(args: readonly CypherValue[], times: number): void;
  /** Does the slow part of computing the result, if there is one. Yields where the work should pause. */
  prepare?(isDue: () => boolean): Generator<null, void>;
  result(): CypherValue;
}

export interface AggregateFunction {
  /** Name as openCypher spells it. */
  readonly name: string;
  readonly least: number;
  readonly most: number;
  start(): Accumulator;
}
