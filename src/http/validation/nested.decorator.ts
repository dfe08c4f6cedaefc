import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';

type Dto = new () => object;

const nestedKey = 'nested-dto';

/** A field that holds an object of another DTO, or with `each` a list of them. */
export function Nested(dto: Dto, { each = false } = {}): PropertyDecorator {
  return applyDecorators(IsObject({ each }), ValidateNested({ each }), Type(() => dto), (target: object, name: string | symbol) =>
    Reflect.defineMetadata(nestedKey, dto, target, name),
  ); // prettier-ignore
}

/** The DTO of a field; undefined for a plain value and for a free-form map. */
export function nestedDto(dto: Dto, name: string): Dto | undefined {
  return Reflect.getMetadata(nestedKey, dto.prototype as object, name) as Dto | undefined;
}
