import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { accessOf } from '../access/access.decorator.js';
import { recentStanding } from '../access/graph-standing.js';
import { principalOf } from '../access/principal.js';
import { readId } from '../http/validation/positive-int.pipe.js';
import { GraphAccessService } from './graph-access.service.js';
import { rememberGraph } from './held-graph.js';

/** Refuses a request if the caller's role in the request's graph is lower than the role that the route requires. */
@Injectable()
export class GraphAccessGuard implements CanActivate {
  constructor(private readonly access: GraphAccessService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access.kind !== 'graph') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const [principal, { source, role }] = [principalOf(context), access];
    if (source.of === 'body') {
      const graphId = (request.body as { graph_id?: unknown } | undefined)?.graph_id;
      // A body without a well-formed `graph_id` passes here. The DTO refuses it before the handler runs.
      if (isId(graphId)) rememberGraph(request, { graphId, role: await this.access.require(principal, graphId, role) });
      return true;
    }
    const id = readId(request.params[source.param], source.param);
    if (source.of !== 'graph') {
      rememberGraph(request, await this.access.requireOf(principal, source.of, id, role));
      return true;
    }
    const known = recentStanding(request, id);
    const held = known ? this.access.judge(principal, known, role) : await this.access.require(principal, id, role);
    rememberGraph(request, { graphId: id, role: held });
    return true;
  }
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31;
}
