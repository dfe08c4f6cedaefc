import { type Expression } from '../../syntax/cypher-ast.js';
import { familyOf, naming, type SqlForms, sqlValue, type SqlValue } from './sql-value.js';

/**
 * count, sum, avg, min, max, collect over the matches of a group. Null is left out of all of them; without any value sum is 0, collect
 * is an empty list, the others are null. Returns null where the argument can never be aggregated so.
 */
export function compileAggregate(
  forms: SqlForms,
  expression: Expression & { kind: 'call' | 'countAll' },
  argument: SqlValue | null,
): SqlValue | null {
  if (expression.kind === 'countAll') return sqlValue('integer', 'numeric', 'count(*)::numeric');
  if (argument === null) return null;
  const distinct = expression.distinct ? 'DISTINCT ' : '';
  const name = expression.name.toLowerCase();
  switch (name) {
    case 'count':
      return sqlValue('integer', 'numeric', `count(${distinct}${forms.any(argument)})::numeric`);
    case 'sum':
    case 'avg': {
      if (argument.type !== 'any' && familyOf(argument.type) !== 'number') return null;
      const sql = `${name}(${distinct}${forms.numeric(argument)})`;
      if (name === 'avg') return sqlValue('float', 'numeric', sql);
      return sqlValue(argument.type === 'any' ? 'number' : argument.type, 'numeric', `coalesce(${sql}, 0)`);
    }
    case 'min':
    case 'max':
      return compileExtreme(forms, name, argument);
    case 'collect': {
      const json = forms.json(argument);
      return sqlValue('list', 'jsonb', `coalesce(jsonb_agg(${distinct}${json}) FILTER (WHERE ${json} IS NOT NULL), '[]')`);
    }
    default:
      return null;
  }
}

/**
 * What an aggregate holds in memory, all of a group at once, as jsonb: everything else keeps one value, or sorts on disk. Null where it
 * holds nothing.
 */
export function gatheredBy(forms: SqlForms, expression: Expression & { kind: 'call' }, argument: SqlValue): string | null {
  const family = familyOf(argument.type);
  switch (expression.name.toLowerCase()) {
    case 'collect':
      return forms.json(argument);
    case 'min':
    case 'max':
      if (family === 'any') return nestedIn(forms.json(argument));
      return family === 'number' || family === 'string' || family === 'boolean' ? null : forms.json(argument);
    default:
      return null;
  }
}

function compileExtreme(forms: SqlForms, name: 'min' | 'max', argument: SqlValue): SqlValue {
  switch (familyOf(argument.type)) {
    case 'number':
      return sqlValue(argument.type, 'numeric', `${name}(${forms.numeric(argument)})`);
    case 'string':
      return sqlValue(argument.type, 'text', `${name}(${forms.text(argument)} COLLATE "C")`);
    case 'boolean':
      return sqlValue('boolean', 'boolean', `${name === 'min' ? 'bool_and' : 'bool_or'}(${forms.boolean(argument)})`);
    case 'list':
    case 'map':
    case 'node':
    case 'edge':
      return sqlValue('any', 'jsonb', extremeOf(forms, name, argument, forms.json(argument)));
    case 'any': {
      // In the order of values: only lists and maps have no aggregate of their own, and are gathered.
      const ascending = [
        extremeOf(forms, name, argument, nestedIn(forms.json(argument))),
        `to_jsonb(${name}(${forms.text(argument)} COLLATE "C"))`,
        `to_jsonb(${name === 'min' ? 'bool_and' : 'bool_or'}(${forms.boolean(argument)}))`,
        `to_jsonb(${name}(${forms.numeric(argument)}))`,
      ];
      return sqlValue('any', 'jsonb', `coalesce(${(name === 'min' ? ascending : ascending.reverse()).join(', ')})`);
    }
    default:
      return familyOf(argument.type) as never;
  }
}

function extremeOf(forms: SqlForms, name: 'min' | 'max', argument: SqlValue, json: string): string {
  const order = sortKeys(forms, argument, name === 'max').join(', ');
  return `(array_agg(${json} ORDER BY ${order}) FILTER (WHERE ${json} IS NOT NULL))[1]`;
}

function nestedIn(json: string): string {
  return naming([json], x => `CASE WHEN jsonb_typeof(${x}) IN ('array', 'object') THEN ${x} END`);
}

/**
 * ORDER BY keys in openCypher's order of values, ascending: map, node, relationship, list, string (by code point), boolean, number, and
 * null last. PostgreSQL puts NULL last ascending and first descending by itself, which is the same order.
 */
export function sortKeys(forms: SqlForms, value: SqlValue, descending: boolean): string[] {
  const direction = descending ? ' DESC' : '';
  switch (familyOf(value.type)) {
    case 'number':
      return [forms.numeric(value) + direction];
    case 'string':
      return [`${forms.text(value)} COLLATE "C"${direction}`];
    case 'boolean':
      return [forms.boolean(value) + direction];
    case 'node':
    case 'edge':
      return [forms.any(value) + direction];
    case 'list':
    case 'map':
      return [forms.json(value) + direction];
    case 'any': {
      const json = forms.json(value);
      const rank = `CASE jsonb_typeof(${json}) WHEN 'object' THEN 0 WHEN 'array' THEN 1 WHEN 'string' THEN 2 WHEN 'boolean' THEN 3 ELSE 4 END`;
      return [
        `CASE WHEN ${json} IS NOT NULL THEN ${rank} END${direction}`,
        `CASE WHEN jsonb_typeof(${json}) = 'string' THEN ${json} #>> '{}' END COLLATE "C"${direction}`,
        json + direction,
      ];
    }
    default:
      return familyOf(value.type) as never;
  }
}
