import { Transform } from 'class-transformer';

/** Reads a query parameter as an integer; anything else is left as it is, for `@IsInt()` to refuse. */
export function QueryInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));
}
