export type Language = 'zh' | 'en';

/** Chinese when the text holds a Chinese character: Chinese questions often contain names in Latin letters, but not the reverse. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
