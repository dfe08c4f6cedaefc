import { type ValidationOptions } from 'class-validator';
import { type Bilingual } from '../../text/bilingual.js';

/** The sentence of a rule of a DTO, in place of class-validator's own. `$property` in the English is the name of the field. */
export function sentence({ zh, en }: Bilingual): ValidationOptions {
  return { message: en, context: { zh } };
}

/** The Chinese sentence of a rule that failed. */
export function chineseOf(contexts: Record<string, unknown> | undefined, rule: string): string | undefined {
  return (contexts?.[rule] as { zh?: string } | undefined)?.zh;
}
