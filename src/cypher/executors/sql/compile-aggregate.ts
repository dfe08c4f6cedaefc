import { type TypedAggregate } from '../../semantics/typed-tree.js';
import { familyOf } from '../../values/value-type.js';
import { boolean, jsonb, naming, numeric, type Sql, type SqlForms, type SqlValue, text } from './sql-value.js';

/**
 * Compiles count, sum, avg, min, max and collect over the matches of a group. All of them leave null out. Without any value sum is
 * 0, collect is an empty list, the others are null.
 */
export function compileAggregate(forms: SqlForms, aggregate: TypedAggregate, argument: SqlValue | null): Sql {
  if (argument === null) return numeric('count(*)::numeric');
  const distinct = aggregate.distinct ? 'DISTINCT ' : '';
  switch (aggregate.function) {
    case 'count':
      return numeric(`count(${distinct}${forms.any(argument)})::numeric`);
    case 'sum':
      return numeric(`coalesce(sum(${distinct}${forms.numeric(argument)}), 0)`);
    case 'avg':
      return numeric(`trim_scale(avg(${distinct}${forms.numeric(argument)}))`);
    case 'min':
    case 'max':
      return compileExtreme(forms, aggregate.function, argument);
    case 'collect': {
      const json = forms.json(argument);
      return jsonb(`coalesce(jsonb_agg(${distinct}${json}) FILTER (WHERE ${json} IS NOT NULL), '[]')`);
    }
    default:
      return aggregate.function satisfies never;
  }
}

/**
 * The jsonb that an aggregate holds in memory, for all values of a group at once. Null for the others, which keep one value or sort
 * on disk.
 */
export function gatheredBy(forms: SqlForms, { function: name }: TypedAggregate, argument: SqlValue): string | null {
  if (name === 'collect') return forms.json(argument);
  if (name !== 'min' && name !== 'max') return null;
  const family = familyOf(argument.type);
  if (family === 'any') return nestedIn(forms.json(argument));
  return family === 'number' || family === 'string' || family === 'boolean' ? null : forms.json(argument);
}

function compileExtreme(forms: SqlForms, name: 'min' | 'max', argument: SqlValue): Sql {
  const family = familyOf(argument.type);
  switch (family) {
    case 'number':
      return numeric(`${name}(${forms.numeric(argument)})`);
    case 'string':
      return text(`${name}(${forms.text(argument)} COLLATE "C")`);
    case 'boolean':
      return boolean(`${name === 'min' ? 'bool_and' : 'bool_or'}(${forms.boolean(argument)})`);
    case 'list':
    case 'map':
    case 'node':
    case 'edge':
      return jsonb(extremeOf(forms, name, argument, forms.json(argument)));
    case 'any': {
      // In the order of values. Lists and maps have no SQL aggregate of their own, so only they are gathered.
      const ascending = [
        extremeOf(forms, name, argument, nestedIn(forms.json(argument))),
        `to_jsonb(${name}(${forms.text(argument)} COLLATE "C"))`,
        `to_jsonb(${name === 'min' ? 'bool_and' : 'bool_or'}(${forms.boolean(argument)}))`,
        `to_jsonb(${name}(${forms.numeric(argument)}))`,
      ];
      return jsonb(`coalesce(${(name === 'min' ? ascending : ascending.reverse()).join(', ')})`);
    }
    default:
      return family satisfies never;
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
 * ORDER BY keys in openCypher's order of values, ascending: map, node, relationship, list, string (by code point), boolean, number,
 * and null last. PostgreSQL already puts NULL last ascending and first descending.
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
