import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { readId } from '../../http/validation/positive-int.pipe.js';
import { sentence } from '../../http/validation/sentence.js';

export const everyone = 'everyone';

/** The grantee of a connection in bodies, paths and answers: a user's id, or all users. */
export type Grantee = number | typeof everyone;

const largestId = 2_147_483_647;
const userIdSchema = { type: 'integer', minimum: 1, maximum: largestId };

export const granteeSchema = { oneOf: [userIdSchema, { type: 'string', enum: [everyone] }] };

export const IsGrantee = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'granteeType',
      validator: {
        validate: (value: unknown) =>
          value === everyone || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= largestId),
      },
    },
    sentence({ zh: '应为用户 id 或 "everyone"', en: 'user_id must be the id of a user, or "everyone"' }),
  );

class GranteePipe implements PipeTransform {
  transform(value: unknown): Grantee {
    return value === everyone ? everyone : readId(value, 'user_id');
  }
}

/** The path parameter `user_id`: 422 when it is neither an integer nor `everyone`. */
export function GranteeParam(): ParameterDecorator {
  return (target, key, index) => {
    Param('user_id', GranteePipe)(target, key, index);
    const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key !== undefined && descriptor) ApiParam({ name: 'user_id', schema: granteeSchema, example: everyone })(target, key, descriptor);
  };
}
