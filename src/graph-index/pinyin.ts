import { pinyin } from 'pinyin-pro';

/** A longer name is not found by its sound. */
const longestName = 16;
/** The most readings of a name, where characters have several. */
const mostReadings = 4;
const readingsPerCharacter = 2;
const firstHan = 0x2e80;
const han = /\p{Script=Han}/u;
const known = new Map<string, readonly string[]>();

/**
 * How a name is typed by its sound, without tones and spaces: whole (`beijing`), and by initials (`bj`) if it has nothing but Han
 * characters. Characters that are read in two ways give both, as the word that decides may be any. Empty for a name without them.
 */
export function readingsOf(name: string): { whole: string[]; initials: string[] } {
  if (name.length > longestName) return { whole: [], initials: [] };
  let [whole, initials] = [[''], ['']];
  let [hasHan, isPure] = [false, true];
  for (const character of name) {
    const sounds = soundsOf(character);
    if (sounds === null) {
      isPure = false;
      if (character !== ' ') whole = whole.map(each => each + character);
      continue;
    }
    hasHan = true;
    const taken = whole.length * sounds.length <= mostReadings ? sounds : sounds.slice(0, 1);
    whole = whole.flatMap(each => taken.map(sound => each + sound));
    initials = initials.flatMap(each => taken.map(sound => each + sound[0]!));
  }
  return { whole: hasHan ? [...new Set(whole)] : [], initials: hasHan && isPure ? [...new Set(initials)] : [] };
}

/** Null for a character that is no Han character, or that the table does not know. */
function soundsOf(character: string): readonly string[] | null {
  if (character.charCodeAt(0) < firstHan) return null;
  let sounds = known.get(character);
  if (!sounds) {
    const all = han.test(character) ? pinyin(character, { toneType: 'none', type: 'array', multiple: true, v: true }) : [];
    sounds = [...new Set(all)].filter(sound => /^[a-z]+$/.test(sound)).slice(0, readingsPerCharacter);
    known.set(character, sounds);
  }
  return sounds.length > 0 ? sounds : null;
}
