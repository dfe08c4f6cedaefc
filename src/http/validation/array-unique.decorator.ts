import { buildMessage, ValidateBy } from 'class-validator';

/** class-validator's own looks each item up in the whole list, which takes seconds for the hundred thousand that a body holds. */
export function ArrayUnique(): PropertyDecorator {
  return ValidateBy({
    name: 'arrayUnique',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && new Set(value).size === value.length,
      defaultMessage: buildMessage(prefix => `${prefix}All $property's elements must be unique`),
    },
  });
}
