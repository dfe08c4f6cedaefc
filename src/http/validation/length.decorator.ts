import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

// Lengths count code points, as JSON Schema and therefore our OpenAPI document do. class-validator's own rule ignores a variation selector
// after each character, so a text could be twice as long as its limit.

function isWithin(value: unknown, min: number, max: number): boolean {
  if (typeof value !== 'string' || value.length > 2 * max) return false;
  let length = 0;
  for (const _ of value) length++;
  return length >= min && length <= max;
}

export function Length(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  const sentence = '$property must be longer than or equal to $constraint1 and shorter than or equal to $constraint2 characters';
  return ValidateBy(
    {
      name: 'isLength',
      constraints: [min, max],
      validator: { validate: value => isWithin(value, min, max), defaultMessage: buildMessage(prefix => prefix + sentence, options) },
    },
    options,
  );
}

export function MaxLength(max: number, options?: ValidationOptions): PropertyDecorator {
  const sentence = '$property must be shorter than or equal to $constraint1 characters';
  return ValidateBy(
    {
      name: 'maxLength',
      constraints: [max],
      validator: { validate: value => isWithin(value, 0, max), defaultMessage: buildMessage(prefix => prefix + sentence, options) },
    },
    options,
  );
}
