import { toApiError } from '../../src/common/errors/to-api-error.js';
import { UnsafeFilterClauseError, type UnsafeSql } from '../../src/sql-guard/sql-guard.errors.js';

/** Why a guard refuses, also as an answer says it. */
export function refusal(run: () => unknown): UnsafeSql {
  try {
    run();
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) {
      const { status, detail } = toApiError(error);
      expect(status).toBe(400);
      expect(detail).toMatch(/^UnsafeFilterClauseError: .+ \/ .+/s);
      // A mapping's list of problems has a type for each, and no room for the name of a class.
      expect(error.sentence.zh).not.toContain('UnsafeFilterClauseError');
      return error.refused;
    }
    throw error;
  }
  throw new Error('not refused');
}
