import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, Matches } from 'class-validator';
import { Length } from '../http/validation/length.decorator.js';
import { sentence } from '../http/validation/sentence.js';

/** Refuses invisible characters: a name with one looks like the name without it. */
const usernamePattern = /^(?!.*\p{Default_Ignorable_Code_Point})[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
const usernameRule = {
  zh: '任何语言的字母、数字、点、下划线、连字符，以字母或数字开头，不含看不见的字符',
  en: 'letters of any language, digits, dot, underscore, hyphen; starts with a letter or digit; nothing invisible',
};

/** The form in which a name is stored: Unicode normal form KC. One letter written in two ways, also full-width, becomes one. */
export const writtenName = (username: string): string => username.normalize('NFKC');

/** The form in which names must be unique: normal form KC without the difference of case. */
export const normalName = (username: string): string => writtenName(writtenName(username).toLowerCase());

/** Validates a name for a new user. */
export const NewUsername = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? writtenName(value) : value)),
    IsString(),
    Length(2, 64),
    Matches(usernamePattern, sentence(usernameRule)),
  );
