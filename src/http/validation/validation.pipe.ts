import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { SchemaError } from '../../common/errors/api-error.js';
import { findUnusableValues } from './find-unusable-values.js';

/**
 * Refuses path parameters with values that no field can take. Bodies and queries need no check here: they reach a handler only as the DTO
 * that `RequestSchemaGuard` has made.
 */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (type === 'custom') return value;
    if (type === 'param') {
      const unusable = findUnusableValues(value, ['path', ...(data === undefined ? [] : [data])]);
      if (unusable.length > 0) throw new SchemaError(unusable);
      return value;
    }
    if (!metatype || !(value instanceof metatype)) throw new TypeError(`The ${type} of a request has not been checked`);
    return value;
  }
}
