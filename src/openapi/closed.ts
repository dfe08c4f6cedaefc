import { type OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  properties?: object;
  additionalProperties?: unknown;
}

/** Marks every schema of a request body as closed to other fields, because the service refuses them. */
export function closeRequestSchemas({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const closed = new Set<string>();
  const close = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { $ref } = part as Schema;
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : undefined;
    if (name !== undefined && schemas[name] && !closed.has(name)) {
      closed.add(name);
      if (schemas[name].properties) schemas[name].additionalProperties ??= false;
      close(schemas[name]);
    }
    for (const inner of Object.values(part)) close(inner);
  };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item) as { requestBody?: unknown }[]) close(operation.requestBody);
  }
}
