import { SqlParameters, type SqlStatement } from '../../sql/sql-parameters.js';

/** A part of the text of a list that PostgreSQL computes before the scan. `part` counts from 0. */
export interface ListPart {
  list: SqlStatement;
  part: number;
  parts: number;
}

/** A parameter of a translated statement: a value, the index of a constant that PostgreSQL computes first, or a part of a list. */
export type TargetParameter = { value: string } | { computed: number; sample: string } | ListPart;

/**
 * Encloses the index of a parameter in the SQL, until `finish` replaces both with a placeholder. Names of tables, and texts of clients that
 * the guard admits, cannot contain this character.
 */
const mark = '\u0001';

/** Collects the parameters of a translated statement, and the constant expressions that PostgreSQL computes before the statement runs. */
export class TargetParameters {
  private readonly all: TargetParameter[] = [];
  private readonly computed: string[] = [];
  private readonly bound = new SqlParameters();

  /** Adds a parameter with this text. Returns its stand-in. */
  value(value: string): string {
    return this.add({ value });
  }

  /**
   * Adds a parameter whose text PostgreSQL computes from an expression. Returns its stand-in. The sample is a text of the same form,
   * for statements that only explain.
   */
  compute(sql: string, sample: string): string {
    const known = this.computed.indexOf(sql);
    return this.add({ computed: known < 0 ? this.computed.push(sql) - 1 : known, sample });
  }

  /** Adds parameters for the parts of the text of a list. Returns their stand-ins. */
  list(list: SqlStatement, parts: number): string[] {
    return Array.from({ length: parts }, (_, part) => this.add({ list, part, parts }));
  }

  /** Binds a value in a constant expression for PostgreSQL. Returns `$n::type`. */
  bind(value: unknown, type: string): string {
    return this.bound.bind(value, type);
  }

  /** The statement with placeholders in place of the stand-ins, and its parameters in the order of the placeholders. */
  finish(sql: string, placeholder: (position: number) => string): { sql: string; parameters: TargetParameter[] } {
    const parameters: TargetParameter[] = [];
    const positions = new Map<string, number>();
    // A dialect with numbered placeholders repeats a parameter's number, so that equal expressions have equal texts.
    const isNumbered = placeholder(1) !== placeholder(2);
    const finished = sql.replace(new RegExp(`${mark}(\\d+)${mark}`, 'g'), (_, index: string) => {
      const known = isNumbered ? positions.get(index) : undefined;
      const position = known ?? parameters.push(this.all[Number(index)]!);
      positions.set(index, position);
      return placeholder(position);
    });
    return { sql: finished, parameters };
  }

  /** A PostgreSQL statement that computes all constants, as one row of texts. Null if there are none. */
  get constants(): SqlStatement | null {
    return this.computed.length === 0 ? null : this.bound.finish(`SELECT ${this.computed.join(', ')}`);
  }

  private add(parameter: TargetParameter): string {
    return `${mark}${this.all.push(parameter) - 1}${mark}`;
  }
}

/** Returns the name. @throws Error for a name with the character that encloses parameters */
export function checkedName(name: string): string {
  if (name.includes(mark)) throw new Error('A name holds a control character');
  return name;
}
