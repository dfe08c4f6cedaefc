type ParameterType = 'int' | 'int8' | 'int8[]' | 'numeric' | 'text' | 'text[]' | 'jsonb' | 'jsonb[]';

/** The parameters of one statement. Equal values of one type share a placeholder, so that equal expressions have equal SQL text. */
export class SqlParameters {
  private readonly values: unknown[] = [];
  private readonly known = new Map<ParameterType, Map<string | number, string>>();

  /** `$n::type`, always with its type: PostgreSQL cannot infer one where only parameters meet. */
  add(value: string | number | string[], type: ParameterType): string {
    const known = this.known.get(type) ?? new Map<string | number, string>();
    this.known.set(type, known);
    const identity = Array.isArray(value) ? JSON.stringify(value) : value;
    const placeholder = known.get(identity) ?? `$${this.values.push(value)}::${type}`;
    known.set(identity, placeholder);
    return placeholder;
  }

  /**
   * The statement with its placeholders numbered in the order they appear, and the values that did: PostgreSQL refuses a parameter that
   * no SQL mentions. The text holds no user text, so that every `$n::` in it is a placeholder.
   */
  finish(sql: string): { sql: string; parameters: unknown[] } {
    const parameters: unknown[] = [];
    const numbers = new Map<string, number>();
    const numbered = sql.replace(/\$(\d+)(?=::)/g, (_, written: string) => {
      const number = numbers.get(written) ?? parameters.push(this.values[Number(written) - 1]);
      numbers.set(written, number);
      return `$${number}`;
    });
    return { sql: numbered, parameters };
  }
}
