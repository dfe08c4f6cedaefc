import { postgres } from './dialects/postgres.js';

/** A SQL statement that any of the compilers made. */
export interface SqlStatement {
  sql: string;
  parameters: unknown[];
}

/** The parameters of one statement. Equal values of one type share a placeholder, so that equal expressions have equal SQL text. */
export class SqlParameters {
  readonly values: unknown[] = [];
  private readonly places = new Map<string, string>();

  /**
   * Binds a value. Returns `$n::type`, always with the type.
   * @param type a name of a type from this code, never a client's text
   */
  bind(value: unknown, type: string): string {
    const key = `${type} ${JSON.stringify(value)}`;
    const place = this.places.get(key) ?? postgres.placeholder(this.values.push(value), type);
    this.places.set(key, place);
    return place;
  }

  /**
   * The statement `sql` with its placeholders numbered in the order they appear, and the values of the placeholders. Unused values are
   * left out, because PostgreSQL refuses a parameter that no SQL mentions. The text must hold no user SQL: every `$n::` outside of quotes
   * counts as a placeholder.
   */
  finish(sql: string): SqlStatement {
    const parameters: unknown[] = [];
    const numbers = new Map<string, number>();
    const numbered = sql.replace(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)(?=::)/g, (quoted, written: string | undefined) => {
      if (written === undefined) return quoted;
      const number = numbers.get(written) ?? parameters.push(this.values[Number(written) - 1]);
      numbers.set(written, number);
      return `$${number}`;
    });
    return { sql: numbered, parameters };
  }
}
