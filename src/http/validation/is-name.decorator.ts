import { applyDecorators } from '@nestjs/common';
import { IsString, Matches } from 'class-validator';
import { Length } from './length.decorator.js';
import { sentence } from './sentence.js';

/** Empty is for the length to refuse. */
const readable = /^(?!\s+$)[^\p{Cc}\p{Cs}]*$/u;

/** What people call a graph, a metric, a job, a key or a connection: text on one line that is more than blanks. */
export function IsName(maxLength = 128): PropertyDecorator {
  return applyDecorators(
    IsString(),
    Length(1, maxLength),
    Matches(
      readable,
      sentence({ zh: '不能全是空白，且不含控制字符', en: '$property must be more than blanks and free of control characters' }),
    ),
  );
}
