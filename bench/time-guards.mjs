// Loaded before the service (`node --import`). Measures the time of each guard, and sends the times to the parent process on SIGUSR2.
// The times are those of one request only if one request runs at a time.
import { AdminGuard } from '../dist/src/auth/admin.guard.js';
import { ApiKeyPowersGuard } from '../dist/src/auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../dist/src/auth/credentials.guard.js';
import { PasswordChangeGuard } from '../dist/src/auth/password-change.guard.js';
import { GraphAccessGuard } from '../dist/src/graphs/graph-access.guard.js';
import { LimitsGuard } from '../dist/src/limits/limits.guard.js';

const guards = [LimitsGuard, CredentialsGuard, PasswordChangeGuard, ApiKeyPowersGuard, AdminGuard, GraphAccessGuard];
let times = {};

for (const { name, prototype } of guards) {
  const { canActivate } = prototype;
  prototype.canActivate = async function (context) {
    // LimitsGuard runs twice: before CredentialsGuard, and behind it, when the request has a user.
    const place = this instanceof LimitsGuard && context.switchToHttp().getRequest().user ? `${name} behind` : name;
    const startedAt = performance.now();
    try {
      return await canActivate.call(this, context);
    } finally {
      (times[place] ??= []).push(performance.now() - startedAt);
    }
  };
}

process.on('SIGUSR2', () => {
  process.send(times);
  times = {};
});
