import { type Bilingual } from '../../text/bilingual.js';

/** openCypher's names for errors that values cause while a query runs. */
export type ValueFaultType = 'TypeError' | 'ArgumentError' | 'ArithmeticError' | 'SyntaxError' | 'EntityNotFound';

/** A value has a wrong type or is out of range for an operation. The code that evaluates the expression adds its place in the query. */
export class ValueFault extends Error {
  /** @param detail openCypher's word, such as `InvalidArgumentValue` */
  constructor(
    readonly type: ValueFaultType,
    readonly detail: string,
    readonly sentence: Bilingual,
  ) {
    super(sentence.en);
  }
}
