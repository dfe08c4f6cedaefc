import { applyDecorators } from '@nestjs/common';
import { IsObject } from 'class-validator';

export type Dto = new () => object;

const nestedKey = 'nested-dto';

/** Marks a field that holds an object of another DTO or, with `each`, a list of such objects. `DtoReader` makes and checks them. */
export function Nested(dto: Dto, { each = false } = {}): PropertyDecorator {
  const mark: PropertyDecorator = (target, name) => Reflect.defineMetadata(nestedKey, dto, target, name);
  return each ? mark : applyDecorators(IsObject(), mark);
}

/** The DTO of a field; undefined for a plain value and for a free-form map. */
export function nestedDto(dto: Dto, name: string): Dto | undefined {
  return Reflect.getMetadata(nestedKey, dto.prototype as object, name) as Dto | undefined;
}
