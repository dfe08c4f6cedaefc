/**
 * Removes the prefixes under which every route is served: `basePath`, which some proxies leave on, and `/api`. If the
 * target is in absolute form, as proxies send it, only its path counts (RFC 9112, section 3.2.2).
 */
export function withoutPrefixes(target: string, basePath: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return without('/api', without(basePath, path.startsWith('/') ? path : `/${path}`));
}

function without(prefix: string, path: string): string {
  if (prefix === '' || !path.startsWith(prefix)) return path;
  const rest = path.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : path;
}
