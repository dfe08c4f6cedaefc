import { pinyin } from 'pinyin-pro';

/** A longer name is not found by its sound. */
const longestName = 16;
/** The most readings of a name, where characters have several. */
const mostReadings = 4;
const readingsPerCharacter = 2;
const han = /\p{Script=Han}/u;
const known = new Map<string, readonly string[]>();

/**
 * How a name is typed by its sound, without tones and spaces: whole (`beijing`) and by initials (`bj`). Characters that are read in two
 * ways give both, as the word that decides may be any. Empty for a name without Han characters.
 */
export function readingsOf(name: string): { whole: string; initials: string }[] {
  if (name.length > longestName || !han.test(name)) return [];
  let readings = [{ whole: '', initials: '' }];
  for (const character of name) {
    const sounds = soundsOf(character);
    const longer = readings.flatMap(({ whole, initials }) =>
      sounds.map(sound => ({ whole: whole + sound, initials: initials + (sound[0] ?? '') })),
    );
    readings = longer.length <= mostReadings ? longer : longer.filter((_, i) => i % sounds.length === 0);
  }
  return readings;
}

function soundsOf(character: string): readonly string[] {
  if (character === ' ') return [''];
  if (!han.test(character)) return [character];
  let sounds = known.get(character);
  if (!sounds) {
    const all = pinyin(character, { toneType: 'none', type: 'array', multiple: true, v: true });
    known.set(character, (sounds = [...new Set(all)].slice(0, readingsPerCharacter)));
  }
  return sounds;
}
