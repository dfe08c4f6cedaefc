import { type MetricWarning } from './execute.dto.js';

const types: Record<string, string> = {
  numeric: 'decimal',
  bigint: 'bigint',
  integer: 'int',
  smallint: 'int',
  real: 'float',
  'double precision': 'float',
  text: 'string',
  varchar: 'string',
  char: 'string',
  timestamp: 'datetime',
  timestamptz: 'datetime',
};

/** The type of a result column in the answer. `unknown` before a statement was run. */
export function wireTypeOf(postgresType: string | undefined): string {
  return postgresType === undefined ? 'unknown' : (types[postgresType] ?? postgresType);
}

/**
 * Converts a value for JSON. int8 and numeric stay the text that the database sent, because a JSON number would round them. NaN and
 * Infinity become null with a warning, because JSON lacks them.
 * @param type the type that `wireTypeOf` returned
 */
export function toWireValue(value: unknown, type: string, warnings: MetricWarning[]): unknown {
  if (type === 'string') return value;
  if (value !== 'NaN' && value !== 'Infinity' && value !== '-Infinity') return value;
  if (!warnings.some(warning => warning.code === 'NOT_A_NUMBER')) {
    warnings.push({ code: 'NOT_A_NUMBER', message: '结果含 NaN 或无穷大，已改为 null / NaN or Infinity in the result became null' });
  }
  return null;
}
