import { type OpenAPIObject } from '@nestjs/swagger';

interface WithBody {
  requestBody?: { content: Record<string, unknown> };
}

/** A copy of the document in which YAML is the first type of each body that may be YAML. Swagger UI offers the first type. */
export function withYamlFirst(document: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  for (const { requestBody: body } of Object.values(copy.paths).flatMap(item => Object.values(item) as WithBody[])) {
    if (body && 'application/yaml' in body.content)
      body.content = { 'application/yaml': body.content['application/yaml'], ...body.content };
  }
  return copy;
}

/* The functions below run in the browser. The page receives their source text, so they must not refer to anything outside their bodies. */

interface PageOfSwaggerUi {
  ui: { authActions: { authorizeWithPersistOption(credentials: object): void } };
}

/** Puts the token from the answer to a login, or to a change of password, into Swagger UI's Authorize dialog. */
export function fillInToken(response: { ok: boolean; url: string; text: string }): object {
  if (response.ok && /\/api\/auth\/(login|password)$/.test(response.url)) {
    const { token } = JSON.parse(response.text) as { token: string };
    const schema = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
    (globalThis as unknown as PageOfSwaggerUi).ui.authActions.authorizeWithPersistOption({
      bearer: { name: 'bearer', schema, value: token },
    });
  }
  return response;
}

/** Makes a phone lay out the page at the width of its screen. */
export function fitScreen(): void {
  const { document } = globalThis as unknown as { document: { head: { insertAdjacentHTML(place: string, html: string): void } } };
  document.head.insertAdjacentHTML('beforeend', '<meta name="viewport" content="width=device-width, initial-scale=1">');
}

/**
 * Styles that keep a page from scrolling sideways on a narrow screen: long words break, and each table and code block scrolls by itself.
 */
export const narrowScreens = `
  .swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-description, .swagger-ui .markdown code { overflow-wrap: anywhere; word-break: break-word }
  @media (max-width: 640px) {
    .swagger-ui .wrapper { padding: 0 8px; overflow-x: hidden }
    .swagger-ui .opblock .opblock-summary, .swagger-ui .opblock-tag { flex-wrap: wrap }
    .swagger-ui .opblock-summary-path { max-width: 100% }
    .swagger-ui .opblock-body, .swagger-ui .table-container, .swagger-ui .responses-wrapper { overflow-x: auto }
    .swagger-ui .scheme-container .schemes { flex-wrap: wrap }
    .swagger-ui .response-headers table, .swagger-ui .headers { table-layout: fixed }
    .swagger-ui table.parameters thead { display: none }
    .swagger-ui .parameters-col_name, .swagger-ui .parameters-col_description { display: block; width: auto }
    .swagger-ui .parameters-col_description input, .swagger-ui select { max-width: 100%; min-width: 0 }
  }
`;
