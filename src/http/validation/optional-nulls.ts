import { getMetadataStorage } from 'class-validator';
import { type Dto } from './nested.decorator.js';

/** The key under which `@ApiProperty` stores its options, on the prototype of the DTO. */
const documented = 'swagger/apiModelProperties';

const meaningless = new Map<Dto, ReadonlySet<string>>();

/**
 * Removes the nulls that mean the same as leaving the field out. `@IsOptional()` lets them pass every check, and they would then
 * replace a default, or a value that a column must have. A field documented as nullable keeps its null.
 */
export function withoutEmptyNulls(dto: Dto, body: Record<string, unknown>): Record<string, unknown> {
  let names = meaningless.get(dto);
  if (!names) meaningless.set(dto, (names = optionalFields(dto)));
  const dropped = names;
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null || !dropped.has(name)));
}

function optionalFields(dto: Dto): ReadonlySet<string> {
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
