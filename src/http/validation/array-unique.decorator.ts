import { buildMessage, ValidateBy } from 'class-validator';

/** class-validator's own rule looks each item up in the whole list. That takes seconds for the hundred thousand items of a large body. */
export function ArrayUnique(): PropertyDecorator {
  return ValidateBy({
    name: 'arrayUnique',
    validator: {
      validate: (value: unknown) => Array.isArray(value) && new Set(value).size === value.length,
      defaultMessage: buildMessage(prefix => `${prefix}an element of $property is there twice`),
    },
  });
}
