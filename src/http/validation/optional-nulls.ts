import { getMetadataStorage } from 'class-validator';
import { type Dto } from './nested.decorator.js';

/** The key under which `@ApiProperty` stores its options, on the prototype of the DTO. */
const documented = 'swagger/apiModelProperties';

/**
 * The names of fields for which null means the same as leaving the field out. `@IsOptional()` lets null pass every check, and null would
 * then replace a default, or a value that a column must have. A field that is documented as nullable keeps its null.
 */
export function emptyNullsOf(dto: Dto): ReadonlySet<string> {
  const optional = getMetadataStorage()
    .getTargetValidationMetadatas(dto, '', false, false)
    .filter(({ name }) => name === 'isOptional')
    .map(({ propertyName }) => propertyName);
  return new Set(optional.filter(name => !isNullable(dto, name)));
}

function isNullable(dto: Dto, name: string): boolean {
  const options = Reflect.getMetadata(documented, dto.prototype as object, name) as { nullable?: boolean } | undefined;
  return options?.nullable === true;
}
