/**
 * Checks `DATABASE_URL` without repeating it, because it may hold a password.
 * @throws Error with the sentence for the list of problems.
 */
export function readDatabaseUrl(text: string): string {
  // With a Unix socket the host is in the query (`postgresql://user@/name?host=/run/postgresql`), but `URL` needs a host before the path.
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/@\//, '@localhost/'))) return text;
  throw new Error('应为 postgresql:// 地址 / must be a postgresql:// URL');
}
