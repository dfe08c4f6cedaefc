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
 * rejected. PostgreSQL judges them in one statement, as it judges the rows, because the regular expressions of other engines differ. A
 * statement is cancelled after 0.3 s, and its defaults are then left to the run.
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

/** SQL that gives the indexes in `judged` of the broken defaults, with one branch for all patterns and one for each format. */
function statementFor(judged: Judged[]): { sql: string; parameters: unknown[] } {
  const sql = new SqlBuilder();
  const places = new Map<string, number[]>();
  judged.forEach(({ rule }, place) => {
    const kind = rule.kind === 'pattern' ? 'pattern' : rule.format;
    places.set(kind, [...(places.get(kind) ?? []), place]);
  });
  const branches = [...places.values()].map(some => {
    const { rule } = judged[some[0]!]!;
    const texts = some.map(place => judged[place]!.value);
    const regexes = some.map(place => regexOf(judged[place]!.rule));
    const from = `unnest(${sql.bind(some, 'int[]')}, ${sql.bind(texts, 'text[]')}, ${sql.bind(regexes, 'text[]')}) AS d (place, value, regex)`;
    const holds = rule.kind === 'pattern' ? 'd.value ~ d.regex' : hasFormat(sql, 'd.value', rule.format);
    return `SELECT d.place FROM ${from} WHERE NOT ${holds}`;
  });
  return atOnce(sql.build(`${branches.join(' UNION ALL ')} ORDER BY place`));
}

function regexOf(rule: Judged['rule']): string | null {
  return rule.kind === 'pattern' ? rule.regex : null;
}

function problemOf({ column, value, rule }: Judged): SourceProblem {
  const broken = rule.kind === 'pattern' ? `pattern ${rule.written}` : `format ${rule.format}`;
  return {
    type: 'default_breaks_rule',
    path: [...column.path, 'default'],
    text: { zh: `默认值 '${value}' 不符合 ${broken}`, en: `the default '${value}' breaks ${broken}` },
  };
}
