import { type CypherValue } from '../../values/cypher-value.js';
import { typeNameOf } from '../../values/type-names.js';
import { ValueFault } from '../../values/value-fault.js';
import { type Evaluate } from './scope.js';

/** Returns a boolean or null unchanged. @throws ValueFault for any other value */
export function booleanOf(value: CypherValue): boolean | null {
  if (value === null || typeof value === 'boolean') return value;
  const { zh, en } = typeNameOf(value);
  throw new ValueFault('TypeError', 'InvalidArgumentType', {
    zh: `此处须为布尔条件，而非${zh}`,
    en: `A condition must be a boolean here, not ${en}`,
  });
}

/** AND in three-valued logic: false if one operand is false, else null if one operand is null. */
export function and(operands: readonly Evaluate[]): Evaluate {
  return row => {
    let result: boolean | null = true;
    for (const operand of operands) {
      const value = operand(row);
      if (value === false) return false;
      if (value === null) result = null;
    }
    return result;
  };
}

export function or(operands: readonly Evaluate[]): Evaluate {
  return row => {
    let result: boolean | null = false;
    for (const operand of operands) {
      const value = operand(row);
      if (value === true) return true;
      if (value === null) result = null;
    }
    return result;
  };
}

export function not(operand: Evaluate): Evaluate {
  return row => {
    const value = operand(row);
    return value === null ? null : value !== true;
  };
}
