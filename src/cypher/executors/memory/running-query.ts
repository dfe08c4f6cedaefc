import { type Bilingual } from '../../../text/bilingual.js';
import { CypherSyntaxError, CypherValueError, placeOf, type TextPlace } from '../../syntax/cypher.errors.js';
import { ValueTooLargeError } from '../../too-large.errors.js';
import { type CypherMap } from '../../values/cypher-value.js';
import { ValueFault } from '../../values/value-fault.js';
import { ValueTooLargeFault } from '../../values/value-size.js';
import { type Compilers } from './expression-place.js';
import { type MemoryGraph } from './memory-graph.js';
import { type Evaluate, Frame } from './scope.js';
import { type Work } from './work.js';

/** The moment that a query calls now, and the zone of times without one. */
export interface Now {
  epochNanoseconds: bigint;
  timeZone: string;
}

/** What all parts of one query share. */
export class RunningQuery {
  readonly frame = new Frame();

  constructor(
    readonly text: string,
    readonly graph: MemoryGraph,
    readonly parameters: CypherMap,
    readonly work: Work,
    readonly now: Now,
    readonly compilers: Compilers,
  ) {}

  place(position: number): TextPlace | null {
    return this.text === '' ? null : placeOf(this.text, position);
  }

  error(detail: string, sentence: Bilingual, position: number): CypherSyntaxError {
    return new CypherSyntaxError(sentence, this.place(position), {}, detail);
  }

  /** An error of types that shows before the query runs. */
  typeError(detail: string, sentence: Bilingual, position: number): CypherValueError {
    return new CypherValueError('TypeError', detail, sentence, this.place(position));
  }

  /** The evaluation with the place added to the faults of its values. */
  at(position: number, evaluate: Evaluate): Evaluate {
    return row => {
      try {
        return evaluate(row);
      } catch (fault) {
        throw this.placed(fault, position);
      }
    };
  }

  placed(fault: unknown, position: number): unknown {
    if (fault instanceof ValueTooLargeFault) return new ValueTooLargeError(fault.bytes, fault.limit, this.place(position));
    if (fault instanceof ValueFault) return new CypherValueError(fault.type, fault.detail, fault.sentence, this.place(position));
    return fault;
  }
}
