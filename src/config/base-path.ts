const segment = '[A-Za-z0-9._~-]+';
const form = new RegExp(`^(/${segment})+$`);

/**
 * Checks `BASE_PATH`, the path under which a proxy shows the service.
 * @throws Error with the sentence for the list of problems.
 */
export function readBasePath(text: string): string {
  if (text === '/') return '';
  if (form.test(text)) return text;
  throw new Error(`应为 /graph 这样的路径，末尾不加斜杠 / must be a path such as /graph, without a slash at its end, got "${text}"`);
}
