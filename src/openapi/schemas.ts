import { type OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: unknown[];
  additionalProperties?: unknown;
  default?: unknown;
  example?: unknown;
  description?: string;
}

/**
 * Marks every schema of a request body as closed to other fields, because the service refuses them. Moves each default from `default` into
 * the description, because generators treat a field with a `default` as always present.
 */
export function describeRequestSchemas({ paths, components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const seen = new Set<string>();
  const describe = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { $ref } = part as Schema;
    const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : undefined;
    const schema = name === undefined ? undefined : schemas[name];
    if (schema && !seen.has(name!)) {
      seen.add(name!);
      if (schema.properties) {
        schema.additionalProperties ??= false;
        Object.values(schema.properties).forEach(sayDefault);
      }
      describe(schema);
    }
    for (const inner of Object.values(part)) describe(inner);
  };
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item) as { requestBody?: unknown }[]) describe(operation.requestBody);
  }
}

/** Marks JSON bodies without required fields as optional. Nest marks every body as required. */
export function loosenEmptyBodies({ paths, components }: OpenAPIObject): void {
  for (const { requestBody } of Object.values(paths).flatMap(item => Object.values(item) as BodyOperation[])) {
    const name = requestBody?.content['application/json']?.schema?.$ref?.split('/').at(-1);
    if (name !== undefined && !(components!.schemas![name] as Schema).required) requestBody!.required = false;
  }
}

interface BodyOperation {
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
}

function sayDefault(property: Schema): void {
  if (property.default === undefined) return;
  const value = JSON.stringify(property.default);
  property.description = [property.description, `缺省为 ${value} / ${value} by default`].filter(Boolean).join('; ');
  property.example ??= property.default;
  delete property.default;
}

/**
 * Describes each YAML body as text. The body is the value of one field of the JSON body, `x-yaml-field`, so it gets the example of that
 * field; Nest would describe it by the schema of the JSON body. JSON stays the first media type, which generated clients send.
 */
export function describeYamlBodies({ paths, components }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap(item => Object.values(item) as YamlOperation[])) {
    const field = operation['x-yaml-field'];
    if (field === undefined) continue;
    const content = operation.requestBody.content;
    const name = content['application/json']!.schema.$ref!.split('/').at(-1)!;
    const { example, ...schema } = (components!.schemas![name] as Schema).properties![field]!;
    content['application/yaml'] = { schema, example };
  }
}

interface YamlOperation {
  'x-yaml-field'?: string;
  requestBody: { content: Record<string, { schema: Schema; example?: unknown }> };
}

/**
 * Gives each media type of a body only its own examples; Nest would show all examples for each type. A media type without examples is a
 * file of bytes.
 */
export function placeBodyExamples({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap(item => Object.values(item) as ExemplifiedOperation[])) {
    const examples = operation['x-body-examples'];
    if (examples === undefined) continue;
    for (const [type, media] of Object.entries(operation.requestBody.content)) {
      if (examples[type]) media.examples = examples[type];
      else media.schema = { type: 'string', format: 'binary' };
    }
    delete operation['x-body-examples'];
  }
}

interface ExemplifiedOperation {
  'x-body-examples'?: Record<string, object>;
  requestBody: { content: Record<string, { schema?: object; examples?: object }> };
}

/** Marks each object without listed properties as open to any property. Generators otherwise treat it as an empty object. */
export function openMaps({ paths, components }: OpenAPIObject): void {
  const open = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const schema = part as Schema;
    if (schema.type === 'object' && !schema.properties && !schema.allOf) schema.additionalProperties ??= true;
    for (const [word, inner] of Object.entries(part)) if (word !== 'example' && word !== 'examples') open(inner);
  };
  open(components?.schemas);
  open(paths);
}
