import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { type Request } from 'express';
import { type Access, accessOf } from '../access/access.decorator.js';
import { extractBearer } from '../access/extract-bearer.js';
import { rememberStanding } from '../access/graph-standing.js';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { BadApiKeyError, ClosedRouteError, NotAuthenticatedError, TwoCredentialsError } from './auth.errors.js';
import { AdmissionService } from '../limits/admission.service.js';
import { type TokenClaims, TokenPrincipals } from './token-principals.js';
import { type Principal } from '../access/principal.js';

/**
 * Makes the handler of passport's result. An error of this service or of the database is rethrown, because a 401 in its place would log the
 * client out for no reason.
 */
const takePrincipal =
  (Refusal: new () => Error) =>
  <T = Principal>(error: unknown, principal: T | false): T => {
    if (error) throw error instanceof Error ? error : new Refusal();
    if (!principal) throw new Refusal();
    return principal;
  };

class TokenGuard extends AuthGuard('jwt') {
  override handleRequest = takePrincipal(NotAuthenticatedError);
}

class ApiKeyGuard extends AuthGuard('api_key') {
  override handleRequest = takePrincipal(BadApiKeyError);
}

/**
 * Counts the credentials in the raw headers, so that two are refused. With two `Authorization` headers Node would keep the first, a proxy
 * perhaps the last.
 */
function countCredentials({ rawHeaders }: Request): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && /^(authorization|x-api-key)$/i.test(name)).length;
}

/**
 * The id of the graph in the path, so that the caller's role in the graph can be read together with the account. Null if the route has no
 * graph in its path, or if the text is not an id and is refused later.
 */
function graphInPath(access: Access, { params }: Request): number | null {
  if (access.kind !== 'graph' || access.source.of !== 'graph') return null;
  const text = params[access.source.param];
  return typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= maxId ? Number(text) : null;
}

/**
 * Loads the caller on every route except the public ones. The header alone decides which strategy runs, because passport's own list of
 * strategies would try the next strategy after a bad credential. A token that passport has verified before is not verified again.
 */
@Injectable()
export class CredentialsGuard implements CanActivate {
  private readonly tokens = new TokenGuard();
  private readonly apiKeys = new ApiKeyGuard();

  constructor(
    private readonly principals: TokenPrincipals,
    private readonly admission: AdmissionService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access.kind === 'closed') throw new ClosedRouteError();
    if (access.kind === 'public') return true;
    const request = context.switchToHttp().getRequest<Request>();
    if (countCredentials(request) > 1) throw new TwoCredentialsError();
    if (request.headers['x-api-key'] !== undefined) {
      return this.admission.run(request, async () => (await this.apiKeys.canActivate(context)) as boolean);
    }
    const token = extractBearer(request);
    if (token === null) throw new NotAuthenticatedError();
    return this.admission.run(request, () => this.readToken(context, request, token, access));
  }

  private async readToken(context: ExecutionContext, request: Request, token: string, access: Access): Promise<boolean> {
    const claims = this.principals.recall(token);
    if (!claims) return (await this.tokens.canActivate(context)) as boolean;
    const graphId = graphInPath(access, request);
    const principal = graphId === null ? await this.principals.load(claims) : await this.loadInGraph(request, claims, graphId);
    if (!principal) throw new NotAuthenticatedError();
    request.user = principal;
    return true;
  }

  /** Loads the caller and remembers the caller's standing in the graph for the guard that checks the role. */
  private async loadInGraph(request: Request, claims: TokenClaims, graphId: number): Promise<Principal | null> {
    const loaded = await this.principals.loadInGraph(claims, graphId);
    if (!loaded) return null;
    rememberStanding(request, loaded.standing);
    return loaded.principal;
  }
}
