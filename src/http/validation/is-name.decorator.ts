import { applyDecorators } from '@nestjs/common';
import { IsString, Matches } from 'class-validator';
import { Length } from './length.decorator.js';
import { sentence } from './sentence.js';

/** An empty text passes here and is refused for its length. */
const readable = /^(?!\s+$)[^\p{Cc}\p{Cs}]*$/u;

/** A name for a graph, a metric, a job, a key or a connection: one line of text, not only blanks. With `each`, a list of them. */
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
