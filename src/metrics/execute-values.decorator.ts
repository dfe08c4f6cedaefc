import { registerDecorator, type ValidationOptions } from 'class-validator';
import { sentence } from '../http/validation/sentence.js';
import { type Bilingual } from '../text/bilingual.js';

function check(name: string, text: Bilingual, validate: (value: unknown) => boolean, options: ValidationOptions = {}): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options: { ...sentence(text), ...options },
      validator: { validate },
    });
}

/** Accepts a string, a finite number or a boolean. */
export function IsScalar(options?: ValidationOptions): PropertyDecorator {
  const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
  return check('scalarType', { zh: '应为字符串、数字或布尔值', en: 'must be a string, a number or a boolean' }, isScalar, options);
}

/** Accepts a finite number, or decimal text for a number that a double cannot hold exactly. */
export function IsDecimal(): PropertyDecorator {
  const isDecimal = (value: unknown) => Number.isFinite(value) || (typeof value === 'string' && /^-?\d{1,100}(\.\d{1,100})?$/.test(value));
  return check('decimalType', { zh: '应为数字或十进制文本', en: 'must be a number or decimal text' }, isDecimal);
}
