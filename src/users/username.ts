import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Matches, ValidateBy } from 'class-validator';
import { Length } from '../http/validation/length.decorator.js';
import { sentence } from '../http/validation/sentence.js';
import { inNormalForm } from '../text/normal-form.js';

const [fewestLetters, mostLetters] = [2, 64];

/** The allowed characters. Invisible characters are refused, because a name that contains them looks like the name without them. */
const usernamePattern = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
const usernameRule = {
  zh: '任何语言的字母、数字、点、下划线、连字符，以字母或数字开头，不含看不见的字符',
  en: 'letters of any language, digits, dot, underscore, hyphen; starts with a letter or digit; nothing invisible',
};

/**
 * Groups of scripts that may stand together in one name. Latin may stand beside East Asian scripts, because their letters do not look like
 * Latin letters.
 */
const mixtures = ['Latin Han Hiragana Katakana', 'Latin Han Hangul', 'Latin Han Bopomofo'];
const others =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan';
const classesOf = (scripts: string): string => scripts.replace(/(\w+) ?/g, '\\p{scx=$1}');
const known = [...mixtures, ...others.split(' ')].map(classesOf);
/**
 * Matches names whose letters belong to one script, or to one group of `mixtures`. Digits, signs and marks that all scripts share are
 * allowed. All scripts outside of both lists together count as one script.
 * Source: https://www.unicode.org/reports/tr39/#Restriction_Level_Detection, "Highly Restrictive"
 */
const ofOneScript = new RegExp(
  `^(?:[^${known.join('')}]*|${known.map(each => `[${each}${classesOf('Common Inherited')}]*`).join('|')})$`,
  'u',
);
const scriptsRule = {
  zh: '不可混用相似文字的字母（如拉丁与西里尔字母），否则会与他人的用户名混淆；拉丁字母可与中、日、韩文同用',
  en: 'letters of scripts that look alike may not be mixed, such as Latin and Cyrillic, because the name could be taken for another; Latin goes with Chinese, Japanese and Korean',
};

/** Reserved names. They could be taken for all users, for no user, or for a user whom the audit cannot name. */
const reserved: ReadonlySet<string> = new Set(['everyone', 'null', 'undefined', 'anonymous', 'system', '所有人', '匿名', '系统']);
const reservedRule = {
  zh: `不可用保留字：${[...reserved].join('、')}`,
  en: `these words are reserved: ${[...reserved].join(', ')}`,
};

/**
 * The form in which a name is stored, which is Unicode normal form KC. Letters that can be encoded in two ways, such as full-width letters,
 * get one encoding.
 */
export const writtenName = (username: string): string => inNormalForm(username, 'NFKC');

/** The form in which names must be unique: Unicode normal form KC, in lower case. */
export const normalName = (username: string): string => writtenName(writtenName(username).toLowerCase());

/**
 * Validates the name of a new user, as the client sent it and as it is stored. The two may differ in length: `ﬀ` is one letter, and two
 * letters in normal form. Existing users keep names that these rules refuse.
 */
export const NewUsername = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' && hasNamesLength(value) ? writtenName(value) : value)),
    IsString(),
    Length(fewestLetters, mostLetters),
    Matches(usernamePattern, sentence(usernameRule)),
    ValidateBy({ name: 'usernameScripts', validator: { validate: ofText(name => ofOneScript.test(name)) } }, sentence(scriptsRule)),
    ValidateBy(
      { name: 'usernameReserved', validator: { validate: ofText(name => !reserved.has(normalName(name))) } },
      sentence(reservedRule),
    ),
  );

function hasNamesLength(text: string): boolean {
  const letters = text.length <= 2 * mostLetters ? [...text].length : Infinity;
  return letters >= fewestLetters && letters <= mostLetters;
}

/**
 * A rule that checks only texts of a sensible length. Other values pass here, because other rules refuse them, and checking a million
 * letters would take seconds.
 */
function ofText(holds: (name: string) => boolean): (value: unknown) => boolean {
  return value => typeof value !== 'string' || value.length > 2 * mostLetters || holds(value);
}
