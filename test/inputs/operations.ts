import { type OpenAPIObject } from '@nestjs/swagger';

/** The part of an OpenAPI schema from which requests are made. `readOperations` replaces each `$ref` by its schema. */
export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  example?: unknown;
  default?: unknown;
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  /** The media type of the body; `application/json` if the document gives none. */
  contentType: string;
}

/** The place of a value in a JSON body: property names and array indexes. */
export type Place = (string | number)[];

/** Reads every operation of the document, with references resolved. */
export function readOperations(document: OpenAPIObject): Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.split('/').at(-1)!] ?? {});
    const merged = schema.allOf ? Object.assign({}, ...schema.allOf.map(resolve), schema, { allOf: undefined }) : schema;
    return {
      ...(merged as Schema),
      ...(merged.items ? { items: resolve(merged.items) } : {}),
      ...(merged.properties ? { properties: Object.fromEntries(Object.entries(merged.properties as Record<string, Schema>).map(([name, inner]) => [name, resolve(inner)])) } : {}),
    };
  }; // prettier-ignore
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, RawOperation>).map(([method, raw]) => {
      const [contentType = 'application/json', media] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
      return {
        id: raw.operationId,
        method: method.toUpperCase(),
        path,
        parameters: raw.parameters.map(parameter => ({ ...parameter, schema: resolve(parameter.schema) })),
        body: media?.schema ? resolve(media.schema) : null,
        contentType,
      };
    }),
  );
}

interface RawOperation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}

/** The example of a schema in the document, or a simple value if it has none. */
export function exampleOf(schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf) return exampleOf(schema.oneOf[0]!);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, exampleOf(inner)]));
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x';
  }
}

/** A place in a body into which a text can be put. */
export interface TextPlace {
  label: string;
  put: (body: unknown, text: string) => unknown;
}

/** The places of texts in a body of this schema. In a free-form object, a text can be a value or a key. */
export function textPlaces(schema: Schema, place: Place = []): TextPlace[] {
  const label = place.join('.');
  if (schema.type === 'array') return schema.items ? textPlaces(schema.items, [...place, 0]) : [];
  if (schema.properties) return Object.entries(schema.properties).flatMap(([name, inner]) => textPlaces(inner, [...place, name]));
  const here = { label, put: (body: unknown, text: string) => withValueAt(body, place, text) };
  if (schema.type === 'object') {
    return [
      { label: `${label}.a`, put: (body, text) => withValueAt(body, [...place, 'a'], text) },
      { label: `${label}.*`, put: (body, text) => withValueAt(body, place, Object.fromEntries([[text, 'x']])) },
    ];
  }
  return schema.type === 'string' || schema.type === undefined ? [here] : [];
}

/** Returns the body with another value at `place`. Missing parents are created. */
export function withValueAt(body: unknown, place: Place, value: unknown): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: unknown[] = Array.isArray(body) ? [...(body as unknown[])] : [];
    list[step] = withValueAt(list[step], rest, value);
    return list;
  }
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};
  return { ...object, [step]: withValueAt(object[step], rest, value) };
}
