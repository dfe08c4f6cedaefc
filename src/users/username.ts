import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';

const usernamePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
const usernameRule = 'letters of any language, digits, dot, underscore, hyphen; starts with a letter or digit';

/** A name for a new user, in normal form C: two spellings that look the same are one name. */
export const NewUsername = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.normalize('NFC') : value)),
    IsString(),
    Length(2, 64),
    Matches(usernamePattern, { message: usernameRule }),
  );
