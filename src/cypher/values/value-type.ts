import { type CypherValue } from './cypher-value.js';
import { kindOf } from './value-kind.js';

/**
 * What is certain of a value before a query runs: it is null or of this kind. Nothing is certain of `any`. A `number` is an integer or a
 * decimal.
 */
export type ValueType =
  | 'null'
  | 'boolean'
  | 'string'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'number'
  | 'date'
  | 'datetime'
  | 'list'
  | 'map'
  | 'node'
  | 'edge'
  | 'any';

export function typeOfValue(value: CypherValue): ValueType {
  const kind = kindOf(value);
  switch (kind) {
    case 'path':
    case 'localtime':
    case 'time':
    case 'localdatetime':
    case 'duration':
      return 'any';
    default:
      return kind;
  }
}

/** The type of the values that a mapping declares with its word, such as `bigint` or `decimal(12,2)`. */
export function typeOfWord(word: string): ValueType {
  switch (word.replace(/\(.*/, '').trim().toLowerCase()) {
    case 'int':
    case 'bigint':
      return 'integer';
    case 'decimal':
      return 'decimal';
    case 'float':
      return 'float';
    case 'boolean':
      return 'boolean';
    case 'string':
    case 'time':
      return 'string';
    case 'date':
      return 'date';
    case 'datetime':
      return 'datetime';
    case 'string[]':
    case 'int[]':
      return 'list';
    default:
      return 'any';
  }
}
