/** Tells whether a PostgreSQL type in its short spelling holds single numbers. */
export function isNumberType(type: string): boolean {
  return /^(?:smallint|integer|bigint|numeric|real|double precision)(?!.*\[\])/.test(type);
}
