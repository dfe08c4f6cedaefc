import { type LicenceSettings, chooseSource } from './choose-source.js';
import { type LicenceProof } from './licence.js';
import { LicenceRefusedError } from '../licensing.errors.js';
import { checkLicenceFile } from './offline/check-licence-file.js';
import { checkOnline } from './online/check-online.js';
import { type AskLimits, defaultAskLimits } from './online/ask-license-server.js';

/**
 * Checks the licence that the settings describe. @returns the proof
 * @param now The current time; the check reads no other clock.
 * @param latestSeen The latest time that is known to be past. A clock far behind that time is refused.
 * @throws LicenceRefusedError for every result other than a proof, whatever went wrong.
 */
export async function checkLicence(
  settings: LicenceSettings,
  now: Date,
  { latestSeen = null, limits = defaultAskLimits }: { latestSeen?: Date | null; limits?: AskLimits } = {},
): Promise<LicenceProof> {
  try {
    const source = chooseSource(settings);
    switch (source.mode) {
      case 'offline':
        return await checkLicenceFile(source, now, latestSeen);
      case 'online':
        return await checkOnline(source, now, { latestSeen, limits });
      default:
        return source satisfies never;
    }
  } catch (error) {
    if (error instanceof LicenceRefusedError) throw error;
    throw new LicenceRefusedError('check_failed', undefined, { cause: error });
  }
}
