/** The bodies that Swagger UI would send: the named examples of a request, or else one made from the examples of its properties. */
export function examplesOf(document: any, method: string, path: string, type = 'application/json'): [name: string, body: any][] {
  const { schema, examples } = document.paths[path][method].requestBody.content[type];
  if (examples) return Object.entries<any>(examples).map(([name, { value }]) => [name, value]);
  return [['body', exampleOf(document, schema)]];
}

function exampleOf(document: any, { $ref }: { $ref: string }): Record<string, unknown> {
  const { properties } = document.components.schemas[$ref.split('/').at(-1)!];
  const named = Object.entries<any>(properties).filter(([, property]) => property.example !== undefined);
  return Object.fromEntries(named.map(([name, property]) => [name, property.example]));
}
