import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Injects the call that a handler serves, so that its guards can be asked again later. */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): ExecutionContext => context);
