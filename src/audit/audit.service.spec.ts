import { AuditService, type AuditAction } from './audit.service.js';
import { TooManyChangesError } from './audit.errors.js';

/** Records an event of a user who has caused as many events today as one user may. */
const record = (action: AuditAction): Promise<void> =>
  new AuditService({ query: () => Promise.resolve({ rows: [{ seconds: 60 }] }) } as never).record({
    action,
    actor: { userId: 1, username: 'eve' },
    target: 'api_key',
  });

describe('AuditService', () => {
  it('refuses the rotation of a key beyond the events of a day, and never its revocation', async () => {
    await expect(record('api_key.rotated')).rejects.toThrow(TooManyChangesError);
    await expect(record('api_key.revoked')).resolves.toBeUndefined();
  });
});
