import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const unreadKey = 'unread';

/** A route that answers whoever may call it before anything of the request is looked at: id, query and body may be whatever they like. */
export const Unread = (): MethodDecorator => SetMetadata(unreadKey, true);

export function isUnread(context: ExecutionContext): boolean {
  return Reflect.getMetadata(unreadKey, context.getHandler()) === true;
}
