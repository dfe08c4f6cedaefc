import { applyDecorators } from '@nestjs/common';
import { IsString, Matches } from 'class-validator';
import { Length } from './length.decorator.js';
import { sentence } from './sentence.js';

/** Matches a readable name. An empty text matches here; its length is refused by another rule. */
const readable = /^(?!\s+$)[^\p{Cc}\p{Cs}]*$/u;

/**
 * Checks a name of a graph, a metric, a job, a key or a connection: one line of text that is not only blanks. With `each`, checks a list of
 * names.
 */
export function IsName(maxLength = 128, { each = false } = {}): PropertyDecorator {
  return applyDecorators(
    IsString({ each }),
    Length(1, maxLength, { each }),
    Matches(readable, {
      ...sentence({ zh: '不能全是空白，且不含控制字符', en: '$property must be more than blanks and free of control characters' }),
      each,
    }),
  );
}
