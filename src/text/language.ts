export type Language = 'zh' | 'en';

/** Chinese if the text has a Chinese character: Chinese questions often contain Latin names, but English questions rarely Chinese ones. */
export function languageOf(text: string): Language {
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
}
