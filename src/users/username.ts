import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';

const usernamePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
const usernameRule =
  '任何语言的字母、数字、点、下划线、连字符，以字母或数字开头 / letters of any language, digits, dot, underscore, hyphen; starts with a letter or digit';

/** A name for a new user, in normal form C: one letter written in two ways is one letter. */
export const NewUsername = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.normalize('NFC') : value)),
    IsString(),
    Length(2, 64),
    Matches(usernamePattern, { message: usernameRule }),
  );
