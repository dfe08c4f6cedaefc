import { editDistance } from '../text/edit-distance.js';
import { nearestFirst, nearestName } from '../text/nearest-name.js';

/** A variable of the environment that looks like a setting, and the setting that was probably meant. */
export interface MisspeltName {
  name: string;
  meant: string;
}

const mostNamed = 20;
/** Letters of a name for each edit that a misspelling may have; one edit is always allowed. `DATABASE_USER` is not `DATABASE_URL`. */
const lettersPerEdit = 8;

/** Names that other programs read and that look like settings of this service. */
const ofOthers = new Set(
  'SECRET_KEY RATE_LIMIT_WINDOW_MS RATE_LIMIT_WINDOW RATE_LIMIT_MAX_REQUESTS RATE_LIMIT_MAX PORTS PORT0 PORT1 WORKERS LOGLEVEL'.split(' '),
);
/** Never suggested for a name that lacks one word: an operator who then changed its value could no longer decrypt the stored secrets. */
const neverCompleted = 'SECRET_ENCRYPTION_KEY';

/**
 * Finds the variables that are near a setting without being one. Most variables of an environment belong to other programs, so a name
 * counts only if it has few edits, lacks one word (`JWT_SECRET`), or begins with two words that several settings share (`RATE_LIMIT_…`).
 * The first 20 are returned.
 */
export function findMisspelt(names: readonly string[], settings: readonly string[]): MisspeltName[] {
  const known = new Set(settings);
  const found: MisspeltName[] = [];
  for (const name of names) {
    const meant = known.has(name) || ofOthers.has(name.toUpperCase()) ? null : meantBy(name, settings);
    if (meant !== null) found.push({ name, meant });
    if (found.length === mostNamed) break;
  }
  return found;
}

function meantBy(name: string, settings: readonly string[]): string | null {
  const allowed = Math.max(1, Math.floor(name.length / lettersPerEdit));
  const near = nearestName(name, settings);
  if (near !== null && editDistance(name.toUpperCase(), near, allowed) <= allowed) return near;
  const words = name.toUpperCase().split('_');
  if (words.length < 2) return null;
  const longer = settings.find(setting => setting !== neverCompleted && lacksOneWord(words, setting.split('_')));
  if (longer !== undefined) return longer;
  const family = settings.filter(setting => setting.startsWith(`${words[0]}_${words[1]}_`));
  return words.length > 2 && family.length > 1 ? nearestFirst(name, family)[0]! : null;
}

/** Whether `words` are the words of the setting with one left out. The first word must be there. */
function lacksOneWord(words: readonly string[], setting: readonly string[]): boolean {
  if (setting.length !== words.length + 1) return false;
  return setting.some((_, left) => left > 0 && words.every((word, index) => word === setting[index < left ? index : index + 1]));
}
