import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';

const metadataKey = 'idempotent';

export interface IdempotentRoute {
  /**
   * The name of the answer's field that holds a secret shown only once. The secret is not stored, and the answer to a repeat has null in
   * this field.
   */
  secret?: string;
  /** The path whose GET lists what the route creates, or the last part of that path. Absent if it is the path of the route itself. */
  listedAt?: string;
}

/** Lets callers repeat a request to the route with an `Idempotency-Key`. Every route that creates a record has this decorator. */
export function Idempotent(route: IdempotentRoute = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(metadataKey, route),
    // The header has no example, because Swagger UI would send it, and each attempt after the first would count as a repeat.
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '24 小时内以同一键重发同一请求，得到第一次的应答（Idempotent-Replayed: true）；内容不同为 422，第一次尚未完成或其应答已丢失为 409 / the same request under the same key gets the first answer again for 24 hours (Idempotent-Replayed: true); 422 with another body, 409 while the first is under way, and when its answer is lost',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}

/** The argument of the route's `Idempotent`; undefined for a route that takes no idempotency keys. */
export function idempotentRouteOf(context: ExecutionContext): IdempotentRoute | undefined {
  return Reflect.getMetadata(metadataKey, context.getHandler()) as IdempotentRoute | undefined;
}
