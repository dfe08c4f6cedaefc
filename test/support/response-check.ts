import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isLegacyPath } from '../../src/common/errors/error-body.js';

/** One answer of the service, as a client saw it. `body` is the text; undefined if it was not kept. */
export interface SeenResponse {
  method: string;
  /** The path as requested, with or without `/api` and a query string. */
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string | undefined;
  /** The JSON that was sent, if the test expects the document to allow it. */
  sent?: unknown;
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema?: Schema }>;
  headers?: Record<string, unknown>;
}

interface Operation {
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, Response>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Headers of the service that only some answers have. An error may have the last two as well, because they were set before it was raised.
 */
const ownHeaders = ['Retry-After', 'WWW-Authenticate', 'Location', 'Idempotent-Replayed', 'X-Ignored-Fields', 'Preference-Applied'];
const ofSuccess = new Set(['X-Ignored-Fields', 'Preference-Applied']);

/** Pages for people, and the document itself. The document does not describe their content. */
const undescribed = /^\/(docs|openapi\.json)(\/|$)/;

/**
 * Compares answers with the OpenAPI document. It must describe the status and the media type. The body must fit its schema and have no
 * unknown field. An answer to a request without an operation must be an error in the shape of the API. A 5xx must be described by its own
 * number; `default` is not enough.
 */
export class ResponseCheck {
  private readonly ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
  private readonly requests = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly templates: { pattern: RegExp; literal: number; path: string }[];

  constructor(private readonly document: Document) {
    addFormats.default(this.ajv, ['date-time', 'date', 'uri']);
    this.ajv.addFormat('binary', true);
    this.ajv.addSchema({ $id: 'openapi', components: { schemas: mapSchemas(document.components.schemas, false) } });
    this.requests.addSchema({ $id: 'openapi', components: { schemas: mapSchemas(document.components.schemas, true) } });
    this.templates = Object.keys(document.paths)
      .map(path => ({
        path,
        pattern: new RegExp(`^${path.replace(/[.$]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')}/?$`, 'i'),
        literal: path.replace(/\{[^}]+\}/g, '').length,
      }))
      .sort((a, b) => b.literal - a.literal);
  }

  /** Lists what is wrong with an answer. */
  problems({ method, path, status, headers, body, sent }: SeenResponse): string[] {
    const problems: string[] = [];
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(String(headers['x-request-id'] ?? ''))) problems.push('no X-Request-ID');
    const [bare = ''] = path.split(/[?#]/, 1);
    const route = bare.replace(/^\/api(?=\/)/, '');
    if (undescribed.test(route) && status < 400) return problems;
    const operation = this.findOperation(method, route);
    const described = operation?.responses[String(status)] ?? (status >= 400 && status < 500 ? operation?.responses.default : undefined);
    const where = `${method} ${bare} → ${status}`;
    if (operation && !described) problems.push(`${where} is not described`);
    if (!operation && status < 400) problems.push(`${where} is no operation of the document`);
    for (const name of ownHeaders) {
      if (headers[name.toLowerCase()] === undefined || !described || (status >= 400 && ofSuccess.has(name))) continue;
      if (!described.headers?.[name]) problems.push(`${where} has a header ${name} that is not described`);
    }
    const asked = operation?.requestBody?.content['application/json']?.schema;
    // With this header, the service has accepted and named fields that the document does not allow.
    if (asked && status < 300 && typeof sent === 'object' && headers['x-ignored-fields'] === undefined) {
      problems.push(...this.fit(this.requests, `${where}, of the request: `, asked, JSON.stringify(withoutNulls(sent))));
    }
    if (method === 'HEAD' || body === undefined) return problems;

    const type = /^[^;]*/.exec(String(headers['content-type'] ?? ''))?.[0] ?? '';
    if (status >= 400) {
      if (type !== 'application/json') problems.push(`${where}: an error as ${type}`);
      else problems.push(...this.fit(this.ajv, `${where}: `, described?.content?.[type]?.schema ?? errorSchema(route, body), body));
      return problems;
    }
    const content = described?.content ?? {};
    if (Object.keys(content).length === 0 || status === 204) {
      if (body !== '') problems.push(`${where} has a body, but none is described`);
    } else if (!content[type]) problems.push(`${where} is ${type}, described are ${Object.keys(content).join(', ')}`);
    else if (type === 'application/json') problems.push(...this.fit(this.ajv, `${where}: `, content[type].schema ?? {}, body));
    return problems;
  }

  private findOperation(method: string, route: string): Operation | undefined {
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const { pattern, path } of this.templates) {
      if (pattern.test(`/api${route}`) && this.document.paths[path]?.[verb]) return this.document.paths[path][verb];
    }
    return undefined;
  }

  private fit(ajv: Ajv, where: string, schema: Schema, body: string): string[] {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return [`${where}no JSON: ${body.slice(0, 200)}`];
    }
    const isRequest = ajv === this.requests;
    const key = `${isRequest}${JSON.stringify(schema)}`;
    let validate = this.validators.get(key);
    if (!validate) {
      validate = ajv.compile(toJsonSchema(schema, isRequest));
      this.validators.set(key, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? [])
      .slice(0, 5)
      .map(({ instancePath, message, params }) => `${where}${instancePath} ${message} ${JSON.stringify(params)}`);
  }
}

/** The schema of an error for a request that has no operation in the document. */
function errorSchema(route: string, body: string): Schema {
  const kind = /"errors"\s*:\s*\[/.test(body) ? 'ValidationError' : 'Error';
  return { $ref: `#/components/schemas/${isLegacyPath(route) ? 'Legacy' : ''}${kind}` };
}

type Schema = Record<string, unknown>;

/** Removes fields that are null: for an optional field, null means the same as leaving it out. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null).map(([name, inner]) => [name, withoutNulls(inner)])); // prettier-ignore
}

/**
 * Converts an OpenAPI 3.0 schema to JSON Schema. `nullable` becomes a union with null. Unless `open`, an object that lists its properties
 * may have no others.
 */
function toJsonSchema({ nullable, example: _, properties, items, additionalProperties, $ref, ...rest }: Schema, open: boolean): Schema {
  const schema: Schema = { ...rest };
  for (const word of ['allOf', 'anyOf', 'oneOf']) {
    if (Array.isArray(rest[word])) schema[word] = (rest[word] as Schema[]).map(inner => toJsonSchema(inner, open));
  }
  if (typeof $ref === 'string') schema.$ref = $ref.replace(/^#/, 'openapi#');
  if (items !== undefined) schema.items = toJsonSchema(items as Schema, open);
  if (properties !== undefined) schema.properties = mapSchemas(properties as Record<string, Schema>, open);
  if (typeof additionalProperties === 'object') schema.additionalProperties = toJsonSchema(additionalProperties as Schema, open);
  else if (additionalProperties !== undefined || properties !== undefined) schema.additionalProperties = additionalProperties ?? open;
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function mapSchemas(schemas: Record<string, Schema>, open: boolean): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema, open)]));
}
