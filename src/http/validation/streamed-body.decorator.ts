import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const streamedKey = 'streamed-body';

/** Marks a route whose handler reads the body of the request itself, whatever its type. */
export const StreamedBody = (): MethodDecorator => SetMetadata(streamedKey, true);

export function hasStreamedBody(context: ExecutionContext): boolean {
  return Reflect.getMetadata(streamedKey, context.getHandler()) === true;
}
