/** Whether a PostgreSQL type, in its short spelling, is a type of numbers. Arrays of numbers do not count. */
export function isNumberType(type: string): boolean {
  return /^(?:smallint|integer|bigint|numeric|real|double precision)(?!.*\[\])/.test(type);
}
