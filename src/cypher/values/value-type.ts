/** The static type of a value. `number` is integer or float, `any` is unknown. Dates and date-times are ISO 8601 texts. */
export type ValueType =
  'integer' | 'float' | 'number' | 'string' | 'boolean' | 'date' | 'datetime' | 'list' | 'map' | 'node' | 'edge' | 'any';

/** Types whose values can be equal, and can be ordered among each other. */
export type Family = 'number' | 'string' | 'boolean' | 'list' | 'map' | 'node' | 'edge' | 'any';

export function familyOf(type: ValueType): Family {
  switch (type) {
    case 'integer':
    case 'float':
    case 'number':
      return 'number';
    case 'string':
    case 'date':
    case 'datetime':
      return 'string';
    case 'boolean':
    case 'list':
    case 'map':
    case 'node':
    case 'edge':
    case 'any':
      return type;
    default:
      return type satisfies never;
  }
}

/** Tells whether a value of this type may turn out to be of the family. */
export function mayBe(type: ValueType, family: Family): boolean {
  const actual = familyOf(type);
  return actual === family || actual === 'any';
}

/** The type of a sum or a product. */
export function numericType(left: ValueType, right: ValueType): ValueType {
  if (left === 'integer' && right === 'integer') return 'integer';
  return left === 'float' || right === 'float' ? 'float' : 'number';
}

/** The type that values of all these types share. `any` if there is none, or if the list is empty. */
export function commonType(types: ValueType[]): ValueType {
  const [first = 'any', ...others] = types;
  if (others.every(type => type === first)) return first;
  const family = familyOf(first);
  if (others.some(type => familyOf(type) !== family)) return 'any';
  return family;
}
