import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const unreadKey = 'unread';

/** Marks a route that answers every permitted caller without reading the request. The id, query and body of the request are not checked. */
export const Unread = (): MethodDecorator => SetMetadata(unreadKey, true);

export function isUnread(context: ExecutionContext): boolean {
  return Reflect.getMetadata(unreadKey, context.getHandler()) === true;
}
