import { type ArgumentMetadata, Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { SchemaError } from '../../common/errors/api-error.js';

export const maxId = 2_147_483_647;

/** An id that no record has. It replaces an id out of range, so that the request fails like one for any other missing id. */
const absentId = 0;

/**
 * Reads an id from a path. An id out of range becomes `absentId`.
 * @throws SchemaError when the text is not an integer.
 */
export function readId(text: unknown, name: string): number {
  if (typeof text !== 'string' || !/^-?\d+$/.test(text)) {
    throw new SchemaError([{ loc: ['path', name], text: { zh: '应为整数', en: 'must be an integer' }, type: 'int_parsing' }]);
  }
  const id = Number(text);
  return id >= 1 && id <= maxId && /^[1-9]/.test(text) ? id : absentId;
}

@Injectable()
export class PositiveIntPipe implements PipeTransform {
  transform(value: unknown, { data }: ArgumentMetadata): number {
    return readId(value, data ?? 'id');
  }
}

export const idSchema = { type: 'integer', minimum: 1, maximum: maxId };

/**
 * A path parameter that is an id: 422 when it is not an integer, 404 when it is out of range.
 * @param example the id that Swagger UI fills in
 */
export function IdParam(name = 'id', example = 1): ParameterDecorator {
  return (target, key, index) => {
    Param(name, PositiveIntPipe)(target, key, index);
    if (key !== undefined) {
      const descriptor = Object.getOwnPropertyDescriptor(target, key);
      if (descriptor) ApiParam({ name, schema: idSchema, example })(target, key, descriptor);
    }
  };
}
