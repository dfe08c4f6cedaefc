const segment = '[A-Za-z0-9._~-]+';
/**
 * The first segments of the service's own paths. A base path must not begin with one of them: the service could not distinguish one of its
 * routes from a path whose base path the proxy has removed.
 */
export const ownPaths: ReadonlySet<string> = new Set([
  'api', 'api-keys', 'audit-events', 'auth', 'docs', 'graphs', 'health', 'ingestion', 'license', 'metrics', 'openapi.json', 'permissions', 'settings', 'users', 'warehouse',
]); // prettier-ignore

const form = new RegExp(`^(/${segment})+$`);

/**
 * Checks `BASE_PATH`, the path under which a proxy shows the service.
 * @throws Error with the sentence for the list of problems.
 */
export function readBasePath(text: string): string {
  if (text === '/') return '';
  const [first = ''] = text.slice(1).split('/');
  if (form.test(text) && !/\/\.{1,2}(\/|$)/.test(text) && !ownPaths.has(first)) return text;
  throw new Error(
    `应为 /graph 这样的路径，末尾不加斜杠，也不以服务自身的路径开头 / must be a path such as /graph, without a slash at its end and not one of the service's own, got "${text}"`,
  );
}
