import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

const metadataKey = 'idempotent';

export interface IdempotentRoute {
  /** The field of the answer with a secret that is shown once. It is not stored, and a repeat has null there. */
  secret?: string;
  /** The path that lists what the route creates, or its last part alone; absent where it is the path of the route. */
  listedAt?: string;
}

/** Lets callers repeat a request to the route under an `Idempotency-Key`. Stands on every route that creates a record. */
export function Idempotent(route: IdempotentRoute = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(metadataKey, route),
    // The header has no example: Swagger UI would send it, and each attempt after the first would be a repeat.
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '24 小时内以同一键重发同一请求，得到第一次的应答（Idempotent-Replayed: true）；内容不同为 422，第一次尚未完成或其应答已丢失为 409 / the same request under the same key gets the first answer again for 24 hours (Idempotent-Replayed: true); 422 with another body, 409 while the first is under way, and when its answer is lost',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}

/** The argument of the route's `Idempotent`; undefined for a route that does not take keys. */
export function idempotentRouteOf(context: ExecutionContext): IdempotentRoute | undefined {
  return Reflect.getMetadata(metadataKey, context.getHandler()) as IdempotentRoute | undefined;
}
