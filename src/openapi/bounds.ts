import { getMetadataStorage } from 'class-validator';

/**
 * The part of a class-validator rule that holds its bounds. Rules are read from the storage of class-validator, because it has no public
 * way to list all classes.
 */
interface Rule {
  name?: string;
  propertyName: string;
  constraints?: unknown[];
  each: boolean;
}

/** The key under which `@ApiProperty` stores its options, on the prototype of the DTO. */
const documented = 'swagger/apiModelProperties';

/**
 * Copies the validator's bounds into the documentation of each DTO that does not give bounds itself, so that the document allows exactly
 * the values that the service accepts. Call it before the document is made. A second call changes nothing.
 */
export function documentBounds(): void {
  const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<{ prototype: object }, Rule[]> };
  for (const [dto, rules] of validationMetadatas) {
    for (const rule of rules) {
      const options = Reflect.getMetadata(documented, dto.prototype, rule.propertyName) as Record<string, unknown> | undefined;
      if (!options) continue;
      for (const [word, value] of Object.entries(boundsOf(rule, options))) options[word] ??= value;
    }
  }
}

function boundsOf({ name, constraints = [], each }: Rule, options: Record<string, unknown>): Record<string, unknown> {
  const [first, second] = constraints;
  if (name === 'isInt' && (options.type === undefined || options.type === Number)) options.type = 'integer';
  // A rule with `each` bounds the items of a list, and `@ApiProperty` cannot express such bounds.
  if (each) return {};
  switch (name) {
    case 'min':
      return { minimum: first };
    case 'max':
      return { maximum: first };
    case 'minLength':
      return { minLength: first };
    case 'maxLength':
      return { maxLength: first };
    case 'isLength':
      return { minLength: first, maxLength: second };
    case 'arrayMinSize':
      return { minItems: first };
    case 'arrayMaxSize':
      return { maxItems: first };
    case 'arrayUnique':
      return { uniqueItems: true };
    default:
      return {};
  }
}
