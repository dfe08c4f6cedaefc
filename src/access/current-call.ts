import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Injects the execution context of the current call into its handler, so that the handler can run the guards again later. */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): ExecutionContext => context);
