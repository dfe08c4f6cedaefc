/** Replaces the calls in double braces in a check query of MetricFlow by SQL, as MetricFlow's renderer for PostgreSQL does. */
export function renderCheck(query: string, schema: string): string {
  return query.replace(/\{\{(.*?)\}\}/gs, (_, call: string) => new CallReader(call, schema).read());
}

type Argument = string | undefined;

const functions: Record<string, (...args: Argument[]) => string> = {
  render_date_trunc: (value, grain) => `DATE_TRUNC('${grain}', ${value})`,
  render_date_sub: (alias, column, count, grain) => `${alias}.${column} - INTERVAL '${count} ${grain}'`,
  render_date_add: (value, count, grain) => `${value} + ${count} * INTERVAL '1 ${grain}'`,
  render_extract: (value, part) => `EXTRACT(${part === 'DOW' ? 'ISODOW' : part} FROM ${value})`,
  cast_to_ts: value => toTimestamp(value),
  generate_random_uuid: () => 'GEN_RANDOM_UUID()',
  // PostgreSQL has no approximate percentiles, so the exact value is used.
  render_percentile_expr: (value, fraction, isDiscrete) =>
    `PERCENTILE_${isDiscrete === 'True' ? 'DISC' : 'CONT'}(${fraction}) WITHIN GROUP (ORDER BY ${value})`,
  render_time_constraint: (value, from, to) =>
    [...(from ? [`${value} >= ${toTimestamp(from)}`] : []), ...(to ? [`${value} ${upTo(to)}`] : [])].join(' AND '),
};

function toTimestamp(text: Argument): string {
  return `CAST('${text}' AS TIMESTAMP)`;
}

/** The condition for the end of a range. A day without a time is included as a whole. */
function upTo(text: string): string {
  return text.includes(':') ? `<= ${toTimestamp(text)}` : `< ${toTimestamp(text)} + INTERVAL '1 day'`;
}

class CallReader {
  private readonly tokens: string[];
  private readonly names: Record<string, string>;

  constructor(call: string, schema: string) {
    this.tokens = call.match(/"[^"]*"|'[^']*'|[\w.]+|[(),=]/g) ?? [];
    this.names = { source_schema: schema, mf_time_spine_source: `${schema}.mf_time_spine`, double_data_type_name: 'DOUBLE PRECISION' };
  }

  read(): string {
    const token = this.tokens.shift()!;
    if (/^["']/.test(token)) return token.slice(1, -1);
    if (/^(TimeGranularity|DatePart)\./.test(token)) return token.slice(token.indexOf('.') + 1);
    if (/^[\d.]+$|^(True|False)$/.test(token)) return token;
    if (this.tokens[0] !== '(') return this.known(this.names, token);
    const args = this.readArguments();
    return this.known(functions, token)(...args);
  }

  /** Reads the arguments of a call and ignores their names, because they are always in the order of the function's parameters. */
  private readArguments(): string[] {
    const args: string[] = [];
    while (this.tokens.shift() !== ')') {
      if (this.tokens[0] === ')') continue;
      if (this.tokens[1] === '=') this.tokens.splice(0, 2);
      args.push(this.read());
    }
    return args;
  }

  private known<T>(from: Record<string, T>, name: string): T {
    const found = from[name];
    if (found === undefined) throw new Error(`the check queries have no ${name} yet`);
    return found;
  }
}
