import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type HeldRole } from './graph-access.service.js';

/** The graph of a request, and the role of the caller in it. */
export interface HeldGraph {
  graphId: number;
  role: HeldRole;
}

type GuardedRequest = Request & { heldGraph?: HeldGraph };

/** Injects the graph of the request, as the guard of a route with `GraphAccess` found it. */
export const CurrentGraph = createParamDecorator((_: unknown, context: ExecutionContext): HeldGraph => {
  const { heldGraph } = context.switchToHttp().getRequest<GuardedRequest>();
  if (!heldGraph) throw new TypeError('No guard has checked the graph of the request');
  return heldGraph;
});

export function rememberGraph(request: Request, held: HeldGraph): void {
  (request as GuardedRequest).heldGraph = held;
}
