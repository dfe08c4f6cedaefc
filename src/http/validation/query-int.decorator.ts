import { Transform } from 'class-transformer';

/** Converts a query parameter to a number if it is an integer. Other texts stay as they are, so that `@IsInt()` refuses them. */
export function QueryInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));
}
