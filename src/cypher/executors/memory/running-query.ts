import { type Bilingual } from '../../../text/bilingual.js';
import { type Clause, type Expression, type MatchClause } from '../../syntax/cypher-ast.js';
import { CypherSyntaxError, CypherValueError, placeOf, type TextPlace } from '../../syntax/cypher.errors.js';
import { ValueTooLargeError } from '../../too-large.errors.js';
import { type CypherMap } from '../../values/cypher-value.js';
import { type Now } from '../../values/temporal/clock-parts.js';
import { ValueFault } from '../../values/value-fault.js';
import { ValueTooLargeFault } from '../../values/value-size.js';
import { type MemoryGraph } from './memory-graph.js';
import { type Evaluate, Frame, type Row, type Scope } from './scope.js';
import { type Work } from './work.js';

/** Work units to make the error of a refused value, with its place in the text. A condition may refuse many values. */
const unitsOfFault = 1_000;

/** Context in which an expression is compiled. */
export interface ExpressionPlace {
  query: RunningQuery;
  scope: Scope;
  /**
   * Returns a ready evaluation of a whole expression, such as a column of a group. Null if the expression has to be compiled from its
   * parts.
   */
  resolve?: ((expression: Expression) => Evaluate | null) | undefined;
}

/** Rows one after the other, with null between them where the query may pause. */
export type Rows = Generator<Row | null, void>;

export interface CompiledMatch {
  /** The scope after the patterns. */
  scope: Scope;
  /** Writes the variables of each match into the row and yields the row: the same object each time. */
  run: (row: Row) => Rows;
}

export interface CompiledClauses {
  /** The columns of the last clause; null if this clause is not RETURN. */
  columns: { name: string; slot: number }[] | null;
  scope: Scope;
  run: (input: readonly Row[]) => Rows;
}

/**
 * The compilers of the parts of a query, which need each other: an expression may contain a query, whose clauses contain expressions. They
 * call each other through this object, so that no two files import each other.
 */
export interface Compilers {
  /** @throws CypherSyntaxError, CypherValueError for errors that show before the query runs */
  expression(expression: Expression, place: ExpressionPlace): Evaluate;
  /** Compiles an expression that must be a boolean or null: in WHERE, and under AND, OR, XOR and NOT. */
  condition(expression: Expression, place: ExpressionPlace): Evaluate;
  match(clause: Pick<MatchClause, 'patterns' | 'where'>, place: ExpressionPlace): CompiledMatch;
  clauses(clauses: Clause[], place: ExpressionPlace): CompiledClauses;
}

/** State shared by all parts of one query. */
export class RunningQuery {
  readonly frame = new Frame();
  /**
   * Whether the answer depends on nodes and edges that its rows do not cite: those of subqueries, of patterns in expressions, or of some
   * equal rows.
   */
  hasUncited = false;

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

  /** A type error that shows before the query runs. */
  typeError(detail: string, sentence: Bilingual, position: number): CypherValueError {
    return new CypherValueError('TypeError', detail, sentence, this.place(position));
  }

  /** Wraps an evaluation. The wrapper counts one work unit, and adds the position in the query to each fault that the evaluation throws. */
  at(position: number, evaluate: Evaluate): Evaluate {
    const { work } = this;
    return row => {
      work.spend(1);
      try {
        return evaluate(row);
      } catch (fault) {
        throw this.placed(fault, position);
      }
    };
  }

  placed(fault: unknown, position: number): unknown {
    if (!(fault instanceof ValueFault)) return fault;
    this.work.spend(unitsOfFault);
    if (fault instanceof ValueTooLargeFault) return new ValueTooLargeError(fault, this.place(position));
    return new CypherValueError(fault.type, fault.detail, fault.sentence, this.place(position));
  }
}
