import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';

/** A part of a list that PostgreSQL computes before. */
export interface ListPart {
  list: SqlStatement;
  part: number;
  parts: number;
}

/** A parameter of a translated statement: a value, the place of one among those that PostgreSQL computes first, or a part of a list. */
export type TargetParameter = { value: string } | { computed: number; sample: string } | ListPart;

/** Neither names of tables nor texts of clients that the guard admits hold this character. */
const mark = '\u0001';

/** Collects the parameters of a translated statement, and the constant expressions that PostgreSQL computes before it. */
export class TargetParameters {
  private readonly all: TargetParameter[] = [];
  private readonly computed: string[] = [];
  private readonly bound = new SqlParameters();

  /** Returns a stand-in for a parameter with this text. */
  value(value: string): string {
    return this.add({ value });
  }

  /** Returns a stand-in for the text of an expression of PostgreSQL's. The sample is a text of the same form. */
  compute(sql: string, sample: string): string {
    const known = this.computed.indexOf(sql);
    return this.add({ computed: known < 0 ? this.computed.push(sql) - 1 : known, sample });
  }

  /** Returns stand-ins for the parts of the text of a list. */
  list(list: SqlStatement, parts: number): string[] {
    return Array.from({ length: parts }, (_, part) => this.add({ list, part, parts }));
  }

  /** Binds a value of a constant expression. */
  bind(value: unknown, type: string): string {
    return this.bound.bind(value, type);
  }

  /** The statement with its parameters in the order of their places. */
  finish(sql: string, placeholder: (position: number) => string): { sql: string; parameters: TargetParameter[] } {
    const parameters: TargetParameter[] = [];
    const positions = new Map<string, number>();
    // A numbered parameter stands in several places, so that equal expressions have equal texts.
    const isNumbered = placeholder(1) !== placeholder(2);
    const finished = sql.replace(new RegExp(`${mark}(\\d+)${mark}`, 'g'), (_, index: string) => {
      const known = isNumbered ? positions.get(index) : undefined;
      const position = known ?? parameters.push(this.all[Number(index)]!);
      positions.set(index, position);
      return placeholder(position);
    });
    return { sql: finished, parameters };
  }

  /** One row with the texts of all constants, as a statement of PostgreSQL's. Null if there are none. */
  get constants(): SqlStatement | null {
    return this.computed.length === 0 ? null : this.bound.finish(`SELECT ${this.computed.join(', ')}`);
  }

  private add(parameter: TargetParameter): string {
    return `${mark}${this.all.push(parameter) - 1}${mark}`;
  }
}

/** @throws Error for a name that could be taken for a parameter */
export function checkedName(name: string): string {
  if (name.includes(mark)) throw new Error('A name holds a control character');
  return name;
}
