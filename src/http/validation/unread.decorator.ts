import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const UNREAD = 'unread';

/** A route that answers whoever may call it before anything of the request is looked at: id, query and body may be whatever they like. */
export const Unread = (): MethodDecorator => SetMetadata(UNREAD, true);

export function isUnread(context: ExecutionContext): boolean {
  return Reflect.getMetadata(UNREAD, context.getHandler()) === true;
}
