import { pinyin } from 'pinyin-pro';

/** The most characters of a name that can be found by its sound. */
const longestName = 16;
/** The most readings of a name; a name has several if its characters have several sounds. */
const mostReadings = 4;
const readingsPerCharacter = 2;
const firstHan = 0x2e80;
const han = /\p{Script=Han}/u;
const known = new Map<string, readonly string[]>();

/**
 * How a name is typed by its sound, without tones and spaces: the whole name (`beijing`), and its initials (`bj`) if it has only Han
 * characters. Each character with two sounds counts with both, because the word that decides between them is not known. Both lists are
 * empty for a name without Han characters.
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

/** The sounds of a character; null if it is not a Han character, or if the table does not have it. */
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
