import { getMetadataStorage } from 'class-validator';

/** As much of class-validator's metadata as bounds are read from; it has no public way to list all classes. */
interface Rule {
  name?: string;
  propertyName: string;
  constraints?: unknown[];
  each: boolean;
}

/** Under this key `@ApiProperty` keeps what it was told, on the prototype of the DTO. */
const documented = 'swagger/apiModelProperties';

/**
 * Writes the bounds that the validator keeps into the documentation of each DTO, where it says nothing of its own: the document
 * then allows what the service takes. To be called before the document is made; a second call changes nothing.
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
  // Bounds of the items of a list have no place in these options.
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
