export type Language = 'zh' | 'en';

/** Chinese when the text holds a Chinese character: names in Latin letters are common in Chinese questions, not the reverse. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
