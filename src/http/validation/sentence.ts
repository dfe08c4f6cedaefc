import { type ValidationOptions } from 'class-validator';
import { type Bilingual } from '../../text/bilingual.js';

/**
 * Options that give a DTO's rule its own sentence, in place of class-validator's. `$property` in the English text stands for the name of
 * the field.
 */
export function sentence({ zh, en }: Bilingual): ValidationOptions {
  return { message: en, context: { zh } };
}

/** The Chinese sentence of a broken rule; undefined if the rule has none of its own. */
export function chineseOf(contexts: Record<string, unknown> | undefined, rule: string): string | undefined {
  return (contexts?.[rule] as { zh?: string } | undefined)?.zh;
}
