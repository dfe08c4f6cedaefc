import { DatabaseBusyError } from '../common/errors/common-errors.js';
import { FairShare } from '../common/turns/fair-share.js';
import { type ServicePool } from '../database/service-pool.js';
import { sqlstateOf, sqlstates } from '../sql/sqlstate.js';
import { atOnce } from '../text/steps.js';
import { type ColumnMapping, type Mapping, type Rule } from './mapping/mapping.js';
import { hasFormat } from './staging/format-sql.js';
import { SqlBuilder } from './staging/sql-builder.js';
import { type SourceProblem } from './staging/target.js';

const timeoutMs = 300;
/** Bounds on concurrent checks. The pattern of a caller decides how long a check takes, up to 0.3 s. */
const places = { places: 1, waitingPerCaller: 4, patienceMs: 10_000 };

/** A default, and a rule of its column that only PostgreSQL can judge. */
interface Judged {
  column: ColumnMapping;
  value: string;
  rule: Extract<Rule, { kind: 'pattern' | 'format' }>;
}

/**
 * Finds the defaults that break a `pattern` or a `format` of their own column, because each row that needs such a default would be
 * rejected. PostgreSQL judges them in one statement, because it also judges the rows, and the regular expressions of other engines differ.
 * If a check is cancelled after 0.3 s, its defaults are judged only in the run.
 */
export class DefaultChecks {
  private readonly share = new FairShare({ ...places, refuse: () => new DatabaseBusyError() });

  constructor(private readonly pool: ServicePool) {}

  /** The problems of the broken defaults of a mapping. One check runs at a time, and callers take turns. @throws DatabaseBusyError */
  async broken({ nodes, edges }: Mapping, caller: number): Promise<SourceProblem[]> {
    const judged = [...nodes, ...edges].flatMap(({ columns }) => columns.flatMap(judgedOf));
    if (judged.length === 0) return [];
    const { sql, parameters } = statementFor(judged);
    try {
      const rows = await this.share.run({ caller }, () =>
        this.pool.transaction(async client => {
          await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
          return (await client.query<{ place: number }>(sql, parameters)).rows;
        }),
      );
      return rows.map(({ place }) => problemOf(judged[place]!));
    } catch (error) {
      if (sqlstateOf(error) === sqlstates.queryCanceled) return [];
      throw error;
    }
  }
}

function judgedOf(column: ColumnMapping): Judged[] {
  const value = column.default;
  if (value === null) return [];
  return column.rules.flatMap(rule => {
    const isJudged = (rule.kind === 'pattern' || rule.kind === 'format') && rule.severity === 'error' && rule.when === null;
    return isJudged ? [{ column, value, rule }] : [];
  });
}

/**
 * SQL that gives the indexes in `judged` of the broken defaults, with one branch for all patterns and one for each format. Each text is
 * sent once, because a default may have 1,000 rules, and a mapping may repeat a pattern.
 */
function statementFor(judged: Judged[]): { sql: string; parameters: unknown[] } {
  const sql = new SqlBuilder();
  const texts = new Map<string, number>();
  const numberOf = (text: string): number => texts.get(text) ?? texts.set(text, texts.size).size - 1;
  const kinds = new Map<string, { rule: Judged['rule']; places: number[]; values: number[]; regexes: number[] }>();
  judged.forEach(({ rule, value }, place) => {
    const kind = rule.kind === 'pattern' ? 'pattern' : rule.format;
    const some = kinds.get(kind) ?? { rule, places: [], values: [], regexes: [] };
    kinds.set(kind, some);
    some.places.push(place);
    some.values.push(numberOf(value));
    if (rule.kind === 'pattern') some.regexes.push(numberOf(rule.regex));
  });
  const branches = [...kinds.values()].map(({ rule, places, values, regexes }) => {
    const lists = [places, values, ...(rule.kind === 'pattern' ? [regexes] : [])].map(list => sql.bind(list, 'int[]'));
    const from = `unnest(${lists.join(', ')}) AS d (${['place', 'value', 'regex'].slice(0, lists.length).join(', ')})
      JOIN texts AS v ON v.no = d.value + 1`;
    if (rule.kind === 'format') return `SELECT d.place FROM ${from} WHERE NOT ${hasFormat(sql, 'v.text', rule.format)}`;
    return `SELECT d.place FROM ${from} JOIN texts AS r ON r.no = d.regex + 1 WHERE NOT v.text ~ r.text`;
  });
  const all = `texts AS MATERIALIZED (SELECT * FROM unnest(${sql.bind([...texts.keys()], 'text[]')}) WITH ORDINALITY AS t (text, no))`;
  return atOnce(sql.build(`WITH ${all} ${branches.join(' UNION ALL ')} ORDER BY place`));
}

function problemOf({ column, value, rule }: Judged): SourceProblem {
  const broken = rule.kind === 'pattern' ? `pattern ${rule.written}` : `format ${rule.format}`;
  return {
    type: 'default_breaks_rule',
    path: [...column.path, 'default'],
    text: { zh: `默认值 '${value}' 不符合 ${broken}`, en: `the default '${value}' breaks ${broken}` },
  };
}
