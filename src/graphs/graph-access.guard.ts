import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { accessOf, type GraphSource } from '../access/access.decorator.js';
import { principalOf } from '../access/principal.js';
import { readId } from '../http/validation/positive-int.pipe.js';
import { GraphAccessService } from './graph-access.service.js';

/** Refuses a request unless its caller has the role that the route asks for on the request's graph. */
@Injectable()
export class GraphAccessGuard implements CanActivate {
  constructor(private readonly access: GraphAccessService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access.kind !== 'graph') return true;
    const graphId = await this.findGraphId(context.switchToHttp().getRequest<Request>(), access.source);
    if (graphId !== null) await this.access.require(principalOf(context), graphId, access.role);
    return true;
  }

  /** Null for a body without a well-formed `graph_id`. The DTO then refuses the request before anything happens. */
  private async findGraphId(request: Request, source: GraphSource): Promise<number | null> {
    if (source.of === 'body') {
      const graphId = (request.body as { graph_id?: unknown } | undefined)?.graph_id;
      return Number.isInteger(graphId) && (graphId as number) > 0 && (graphId as number) < 2 ** 31 ? (graphId as number) : null;
    }
    const id = readId(request.params[source.param], source.param);
    return source.of === 'graph' ? id : this.access.findGraphOf(source.of, id);
  }
}
