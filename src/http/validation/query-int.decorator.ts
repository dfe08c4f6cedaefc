import { Transform } from 'class-transformer';

/** Reads a query parameter as an integer. Other texts stay, for `@IsInt()` to refuse. */
export function QueryInt(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value));
}
