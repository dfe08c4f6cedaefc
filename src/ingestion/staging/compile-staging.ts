import { type Steps } from '../../text/steps.js';
import { type ColumnMapping, type FurtherLabel, type Rule } from '../mapping/mapping.js';
import { type ResolvedType } from './column-sql.js';
import { columnValue, type ColumnValue, textValue } from './column-value.js';
import { jsonbArray, jsonbObject } from './jsonb-sql.js';
import { type KeyRequest, KeySql, keyTextOf } from './key-sql.js';
import { conditionOf, firstFailure, isJoined, warned, type RuleContext } from './rule-sql.js';
import { resolvedType } from './source-type.js';
import { SourceRow } from './source-row.js';
import { type RowsSql } from './source-sql.js';
import { type SqlStatement } from '../../sql/sql-parameters.js';
import { SqlBuilder } from './sql-builder.js';
import { displayColumn } from './display-column.js';
import { cleanedText } from './transform-sql.js';
import { type SourceShape, type Target } from './target.js';

/** Maximum characters of one value in the sample of a rejected row. All values of a sample together have at most `maxSample` characters. */
export const maxSampledValue = 200;
const maxSample = 16_000;

/** Maximum characters of each value in a sample that has `values` values. */
export function sampledCharacters(values: number): number {
  return Math.min(maxSampledValue, Math.floor(maxSample / values));
}

/**
 * A rule that is judged over all rows, such as `unique`. `column` and `rule` are indexes in the mapping. `stagedAs` names the column of the
 * staging table that contains the values to judge.
 */
export interface JudgedColumn {
  stagedAs: string;
  column: number;
  rule: number;
  severity: Rule['severity'];
}

export interface StagingPlan {
  /** The name of the staging table, and the name under which the statement `insert` shows how many rows it has staged. */
  table: string;
  createTable: string;
  insert: SqlStatement;
  /** The resolved type of each mapped column, in the order of the mapping. */
  types: ResolvedType[];
  /** Properties whose source type (such as a range) the graph can only hold as text, with the name of that type. */
  keptAsText: { property: string; type: string }[];
  /** The source column whose value nodes show as their caption. Null if nodes show their key, and for edges. */
  display: string | null;
  /**
   * The staged column `sample` begins with values of the row; `sampled` names these values in the same order. After them `sample` contains
   * text lengths, one for each column index in `lengthsOf`: the columns with a rule on their length.
   */
  sampled: { name: string; isSensitive: boolean }[];
  lengthsOf: number[];
  unique: JudgedColumn[];
  references: (JudgedColumn & { label: string; keyColumn: string })[];
  /**
   * The Boolean columns of the staging table, one for each rule of severity `warn`, with the indexes of the mapped column and of the rule.
   */
  warnings: { stagedAs: string; column: number; rule: number }[];
  /** False when no row can break a rule of the mapping, so that no row has to be checked. */
  canFail: boolean;
  hasCursor: boolean;
  hasDeletes: boolean;
}

export interface StagingRequest extends KeyRequest {
  shape: SourceShape;
  from: RowsSql;
  /**
   * The start of an incremental read: `value` is text in the cursor's type, from which `lag` (milliseconds or units) is subtracted. Null
   * means a read from the beginning.
   */
  cursorFrom: { value: string; lag: number } | null;
  /** Whether `insert` only returns the rows that it would stage, and shows no count of them. */
  isOnlyRead?: true;
}

/**
 * Compiles one target to a staging table and the one INSERT … SELECT that fills it. The SELECT numbers the source rows, cleans and checks
 * their values, and builds the keys and properties that the graph stores, all in one pass. A row that breaks a rule has no properties. It
 * has `failures` (for each column the index of the broken rule) and `sample` (the row's values) instead. The SELECT reads only the source,
 * so it can run under a role that may read nothing else.
 */
export function compileStaging(request: StagingRequest): Steps<StagingPlan> {
  return new StagingCompiler(request).compile();
}

class StagingCompiler {
  private readonly sql = new SqlBuilder();
  private readonly source: SourceRow;
  private readonly element: Target['element'];
  private readonly table: string;
  readonly conditionRefs = new Map<string, string>();

  constructor(private readonly request: StagingRequest) {
    this.element = request.target.element;
    this.table = `staging_${request.target.kind}_${request.target.index}`;
    this.source = new SourceRow(this.sql, request.target, request.shape, request.from, request.isOnlyRead ? null : this.table);
  }

  *compile(): Steps<StagingPlan> {
    const { table } = this;
    const { target } = this.request;
    const { columns } = this.element;
    const values: ColumnValue[] = [];
    for (const column of columns) {
      values.push(this.columnValue(column));
      yield;
    }
    const checks: ColumnChecks[] = [];
    for (const [index, column] of columns.entries()) checks.push(yield* this.columnChecks(column, values[index]!));
    const staged: StagedColumns = new Map();
    staged.set('row_no', { type: 'bigint', sql: 'row_no' });

    const keys = new KeySql(this.request, this.sql, this.source, values);
    const failures = checks.map(check => check.failure);
    const keyFailure = keys.failure();
    const isBad = [...failures, keyFailure].filter(check => check !== null);
    const checked: string[] = [];
    failures.forEach((failure, index) => failure !== null && checked.push(`(${failure})::smallint AS f${index}`));
    if (keyFailure !== null) checked.push(`(${keyFailure})::smallint AS fk`);
    checked.push(`${keys.key} AS ${KeySql.ref}`);
    const failureRefs = failures.map((failure, index) => (failure === null ? 'NULL' : `f${index}`));
    const anyFailed =
      isBad.length === 0
        ? null
        : `coalesce(${[...failureRefs.filter(ref => ref !== 'NULL'), ...(keyFailure === null ? [] : ['fk'])].join(', ')}) IS NOT NULL`;

    const gone = this.source.carryGone();
    if (gone !== null) staged.set('gone', { type: 'boolean', sql: 'gone' });
    const bad = anyFailed === null ? null : gone === null ? anyFailed : `NOT gone AND ${anyFailed}`;
    for (const [name, sql] of keys.staged()) staged.set(name, { type: 'text', sql });
    const types = values.map(value => value.type);
    const display = target.kind === 'node' ? displayColumn(target.element, types) : null;
    if (target.kind === 'node' && target.element.labels.length > 0)
      staged.set('labels', { type: 'text[]', sql: this.labelsSql(target.element.labels) });
    if (target.kind === 'node') staged.set('display', { type: 'text', sql: keys.display(display) });
    staged.set('properties', { type: 'jsonb', sql: this.propertiesSql(values, bad, gone) });
    staged.set('failures', {
      type: 'jsonb',
      sql: bad === null ? 'NULL' : `CASE WHEN ${bad} THEN ${jsonbArray([keyFailure === null ? 'NULL' : 'fk', ...failureRefs])} END`,
    });
    const sampled = this.sampledColumns(values);
    const lengthsOf = columns.flatMap(({ rules }, index) => (rules.some(hasLength) ? [index] : []));
    const lengths = lengthsOf.map(index => `char_length(${values[index]!.text})`);
    staged.set('sample', {
      type: 'jsonb',
      sql: bad === null ? 'NULL' : `CASE WHEN ${bad} THEN ${jsonbArray([...sampled.map(each => each.sql), ...lengths])} END`,
    });
    staged.set('duplicate_of', { type: 'bigint', sql: 'NULL' });
    const unique = this.stageUnique(values, staged);
    const references = this.stageReferences(keys, staged);
    const warnings = this.stageWarnings(checks, staged);
    const cursor = this.source.carryCursor(this.request.cursorFrom);
    if (cursor !== null) staged.set('cursor_value', { type: cursor.type, sql: 'cursor_value' });

    const where = this.source.whereSql(cursor?.filter ?? null);
    yield;
    const into = this.request.isOnlyRead ? '' : `INSERT INTO pg_temp.${table} (${[...staged.keys()].join(', ')})`;
    const template = `
      ${into}
      SELECT ${[...staged].map(([name, each]) => `${each.sql} AS ${name}`).join(',\n             ')}
      FROM (
        SELECT *${checked.map(check => `,\n               ${check}`).join('')}
        FROM (
          ${this.source.select(where)}
          OFFSET 0
        ) AS r
        OFFSET 0
      ) AS c`;
    return {
      table,
      createTable: `CREATE TEMPORARY TABLE ${table} (${[...staged].map(([name, each]) => `${name} ${each.type}`).join(', ')})`,
      insert: yield* this.sql.build(template),
      types,
      keptAsText: columns.flatMap(column => this.keptAsText(column)),
      display,
      sampled: sampled.map(({ name, isSensitive }) => ({ name, isSensitive })),
      lengthsOf,
      unique,
      references,
      warnings,
      canFail: isBad.length > 0,
      hasCursor: cursor !== null,
      hasDeletes: gone !== null,
    };
  }

  private columnValue(column: ColumnMapping): ColumnValue {
    const { source, transform } = column;
    const { sql } = this;
    const options = this.request.mapping.defaults;
    if (source.kind === 'constant') {
      const value = sql.bind(source.value, 'text');
      const isChanged = transform.length > 0 || column.default !== null;
      const text = isChanged ? cleanedText(sql, value, transform, column.default, options) : value;
      return textValue(this.source.carry(text, 'v'), resolvedType(column, 'text'));
    }
    const { expressions } = this.request.shape;
    const given =
      source.kind === 'column'
        ? this.source.column(source.column)
        : { sql: this.source.written(source.expression), family: expressions.get(source.expression) ?? 'text' };
    return columnValue({ sql, source: this.source, options }, given, resolvedType(column, given.family), column);
  }

  private keptAsText({ source, property, type: written }: ColumnMapping): StagingPlan['keptAsText'] {
    if (written !== null || source.kind === 'constant') return [];
    const type = this.request.shape.keptAsText.get(source.kind === 'column' ? source.column : source.expression);
    return type === undefined ? [] : [{ property, type }];
  }

  private *columnChecks(column: ColumnMapping, value: ColumnValue): Steps<ColumnChecks> {
    const expressionRefs = new Map<number, string>();
    const joined: string[] = [];
    for (const [index, rule] of column.rules.entries()) {
      if (rule.kind !== 'expression') continue;
      const predicate = this.source.written(rule.predicate);
      if (isJoined(rule)) joined.push(`WHEN ${predicate} IS FALSE THEN ${index}`);
      else expressionRefs.set(index, this.source.carry(predicate, 'x'));
      yield;
    }
    const joinedRef = joined.length === 0 ? null : this.source.carry(`CASE ${joined.join(' ')} END`, 'x');
    for (const { when } of column.rules) {
      if (when === null || this.conditionRefs.has(when.predicate)) continue;
      this.conditionRefs.set(when.predicate, this.source.carry(this.source.written(when.predicate), 'x'));
      yield;
    }
    const { conditionRefs } = this;
    const context: RuleContext = { sql: this.sql, value, ref: value.ref, type: value.type, expressionRefs, joinedRef, conditionRefs };
    const warnings = column.rules.flatMap((rule, index) =>
      rule.severity === 'warn' && rule.kind !== 'unique' ? [{ rule: index, sql: warned(rule, index, context) }] : [],
    );
    return { failure: firstFailure(column.rules, context), warnings };
  }

  /** SQL for the array of a row's further labels, sorted by their UTF-8 bytes. */
  private labelsSql(labels: FurtherLabel[]): string {
    const sorted = [...labels].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
    if (sorted.every(({ when }) => when === null))
      return this.sql.bind(
        sorted.map(({ name }) => name),
        'text[]',
      );
    const names = sorted.map(({ name, when }) => {
      const bound = this.sql.bind(name, 'text');
      return when === null ? bound : `CASE WHEN ${this.source.carry(this.source.written(when), 'x')} THEN ${bound} END`;
    });
    return `array_remove(ARRAY[${names.join(', ')}], NULL)`;
  }

  private propertiesSql(values: ColumnValue[], bad: string | null, gone: string | null): string {
    const named = this.element.columns.map(({ property }, index) => ({ property, value: values[index]! }));
    named.sort((a, b) => inJsonbOrder(a.property, b.property));
    const bound = named.map(({ property, value }) => ({ name: this.sql.bind(property, 'text'), value }));
    const plain = bound.filter(({ value }) => !holdsDocument(value));
    const json = bound
      .filter(({ value }) => holdsDocument(value))
      .map(({ name, value }) => `CASE WHEN ${guarded(value)} IS NULL THEN '{}' ELSE ${jsonbObject([`${name}, ${guarded(value)}`])} END`);
    const parts = [...(plain.length === 0 ? [] : [withoutNulls(plain)]), ...json];
    const properties = parts.length === 0 ? `'{}'::jsonb` : parts.join(' || ');
    const unwanted = [bad, gone === null ? null : 'gone'].filter(each => each !== null);
    return unwanted.length === 0
      ? properties
      : `CASE WHEN ${unwanted.map(each => `(${each})`).join(' OR ')} THEN NULL ELSE ${properties} END`;
  }

  private sampledColumns(values: ColumnValue[]): { name: string; sql: string; isSensitive: boolean }[] {
    const { columns } = this.element;
    const most = sampledCharacters(columns.length);
    return columns.map((column, index) => ({
      name: column.source.kind === 'column' ? column.source.column : column.property,
      sql: `left(${values[index]!.text}, ${most})`,
      isSensitive: column.sensitive,
    }));
  }

  private stageUnique(values: ColumnValue[], staged: StagedColumns): JudgedColumn[] {
    return this.element.columns.flatMap((column, index) => {
      const isKey = this.element.key.length === 1 && column.source.kind === 'column' && column.source.column === this.element.key[0];
      return column.rules.flatMap((each, rule) => {
        if (each.kind !== 'unique') return [];
        const text = keyTextOf(values[index]!);
        const stagedAs = isKey && each.when === null ? 'key' : this.stageText(text, each, `u${index}_${rule}`, staged);
        return [{ stagedAs, column: index, rule, severity: each.severity }];
      });
    });
  }

  private stageReferences(keys: KeySql, staged: StagedColumns): StagingPlan['references'] {
    return this.element.columns.flatMap((column, index) =>
      column.rules.flatMap((each, rule) => {
        if (each.kind !== 'references') return [];
        const stagedAs = this.stageText(keys.referenced(index, each.label), each, `r${index}_${rule}`, staged);
        return [{ stagedAs, column: index, rule, severity: each.severity, label: each.label, keyColumn: each.column }];
      }),
    );
  }

  /** Stages `text` as the column `name`, and NULL in rows to which the rule's `when` does not apply. @returns `name` */
  private stageText(text: string, rule: Rule, name: string, staged: StagedColumns): string {
    const condition = conditionOf(rule, this);
    staged.set(name, { type: 'text', sql: condition === null ? text : `CASE WHEN ${condition} THEN ${text} END` });
    return name;
  }

  private stageWarnings(checks: ColumnChecks[], staged: StagedColumns): StagingPlan['warnings'] {
    return checks.flatMap((check, column) =>
      check.warnings.map(({ rule, sql }) => {
        const stagedAs = `w${column}_${rule}`;
        staged.set(stagedAs, { type: 'boolean', sql });
        return { stagedAs, column, rule };
      }),
    );
  }
}

/** The columns of the staging table with their types and SQL, by name. */
type StagedColumns = Map<string, { type: string; sql: string }>;

interface ColumnChecks {
  failure: string | null;
  warnings: { rule: number; sql: string }[];
}

function hasLength({ kind }: Rule): boolean {
  return kind === 'min_length' || kind === 'max_length';
}

/**
 * Compares two keys in the order in which jsonb stores keys: first by byte length, then by bytes. jsonb does not have to sort keys that
 * arrive in this order.
 */
function inJsonbOrder(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length - right.length || Buffer.compare(left, right);
}

/**
 * SQL of a jsonb object of the pairs whose value is not NULL. jsonb_strip_nulls added 9 to 63 % to the time of building the object, so it
 * runs only for rows with a NULL. Callers must not pass documents (`json` and `map`), because it would also strip the nulls inside of them.
 */
function withoutNulls(pairs: { name: string; value: ColumnValue }[]): string {
  const isFull = [...new Set(pairs.map(({ value }) => `${value.ref} IS NOT NULL`))].join(' AND ');
  const full = jsonbObject(pairs.map(({ name, value }) => `${name}, ${value.json}`));
  return `CASE WHEN ${isFull} THEN ${full} ELSE jsonb_strip_nulls(${jsonbObject(pairs.map(({ name, value }) => `${name}, ${guarded(value)}`))}) END`;
}

function holdsDocument({ type }: ColumnValue): boolean {
  return type.name === 'json' || type.name === 'map';
}

/** SQL for the JSON of a value. A cast that may fail is evaluated only for values that could be read. */
function guarded(value: ColumnValue): string {
  return value.valid === null ? value.json : `CASE WHEN ${value.ref} IS NOT NULL THEN ${value.json} END`;
}
