import { type Bilingual } from '../text/bilingual.js';
import { Refusal } from './walk-tree.js';

export const gathers: Bilingual = {
  zh: '它把许多行收进一个值，大小没有上限；请改用 min、max 或 count，或在上传前汇总',
  en: 'it gathers any number of rows in one value; use min, max or count, or gather them before the upload',
};

/** Refuses an aggregate whose value has no limit. Its name is on no allow-list. @throws Refusal */
export function refuseGathering(name: string, offset: number | undefined): void {
  if (name === 'string_agg' || name === 'array_agg') throw new Refusal('function', name, offset, gathers);
}
