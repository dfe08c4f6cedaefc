/**
 * Checks `DATABASE_URL` without repeating it: it may hold a password.
 * @throws Error with the sentence that the list of problems shows.
 */
export function readDatabaseUrl(text: string): string {
  // A Unix socket stands in the query (`postgresql://user@/name?host=/run/postgresql`), where URL wants a host.
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/@\//, '@localhost/'))) return text;
  throw new Error('应为 postgresql:// 地址 / must be a postgresql:// URL');
}
