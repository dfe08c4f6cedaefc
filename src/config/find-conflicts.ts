import { statSync } from 'node:fs';
import { findUrlConflicts, type RetrievalSecurity } from './retrieval-conflicts.js';
import { findLicenceConflicts, licenceConflicts, licenceRefusal } from './license-settings.js';

/** The settings that are checked together. */
interface Together extends RetrievalSecurity {
  port: number;
  host: string;
  metricsPort: number;
  metricsHost: string;
  licenseCheckEnabled: boolean;
  licenseFile?: string | undefined;
  retrievalUrls: readonly string[];
}

/**
 * Finds settings that are valid alone but contradict each other. Returns one sentence for each problem.
 * @param given The names of variables that have a value, including refused values, so that a refused setting is not reported as missing
 * too.
 */
export function findConflicts(
  { port, host, metricsPort, metricsHost, licenseCheckEnabled, licenseFile, retrievalUrls, ...security }: Together,
  given: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  if (metricsPort !== 0 && metricsPort === port && (host === metricsHost || [host, metricsHost].some(isEveryAddress))) {
    problems.push(`METRICS_PORT: 不能与 PORT 相同 / must differ from PORT, both are ${port}`);
  }
  const roleUrls = ['DATABASE_RECORDS_URL', 'DATABASE_RETRIEVAL_URL', 'DATABASE_MIRROR_URL', 'DATABASE_READ_URL'].filter(name =>
    given.has(name),
  );
  if (roleUrls.length > 0 && !given.has('DATABASE_URL')) {
    problems.push(`${roleUrls[0]}: 须与 DATABASE_URL 一起设置 / needs DATABASE_URL beside it; the embedded database has roles of its own`);
  }
  const [hasUrl, hasModel] = [given.has('LLM_BASE_URL'), given.has('LLM_MODEL')];
  if (hasUrl !== hasModel) problems.push('LLM_BASE_URL: 须与 LLM_MODEL 一起设置 / goes together with LLM_MODEL');
  if (given.has('LLM_API_KEY') && !hasUrl) problems.push('LLM_API_KEY: 须与 LLM_BASE_URL 一起设置 / needs LLM_BASE_URL beside it');
  problems.push(...findUrlConflicts(retrievalUrls, security, given));
  if (licenseCheckEnabled) {
    const conflicts = findLicenceConflicts({
      file: given.has('LICENSE_FILE'),
      url: given.has('LICENSE_URL'),
      key: given.has('LICENSE_KEY'),
      publicKey: given.has('LICENSE_PUBLIC_KEY'),
    });
    if (licenseFile !== undefined && isAbsent(licenseFile)) conflicts.push('file_missing');
    problems.push(...conflicts.map(conflict => licenceRefusal(conflict, licenceConflicts[conflict])));
  }
  return problems;
}

const isEveryAddress = (host: string) => host === '0.0.0.0' || host === '::';

/** Whether the file is missing. The licence gate reads the file and reports every other fault. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
