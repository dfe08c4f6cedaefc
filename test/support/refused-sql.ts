import { toApiError } from '../../src/common/errors/to-api-error.js';
import { UnsafeFilterClauseError, type UnsafeSql } from '../../src/sql-guard/sql-guard.errors.js';

/** Runs a guard. Returns what it refuses, after checking the error of the API too. @throws Error if nothing is refused */
export function refusal(run: () => unknown): UnsafeSql {
  try {
    run();
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) {
      const { status, detail } = toApiError(error);
      expect(status).toBe(400);
      expect(detail).toMatch(/^UnsafeFilterClauseError: .+ \/ .+/s);
      // Problems of a mapping show only this sentence, beside a type, so it must not contain the name of the class.
      expect(error.sentence.zh).not.toContain('UnsafeFilterClauseError');
      return error.refused;
    }
    throw error;
  }
  throw new Error('not refused');
}
