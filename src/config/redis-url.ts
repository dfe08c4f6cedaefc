/**
 * Checks `REDIS_URL` without repeating it, because it may hold a password.
 * @throws Error with the sentence for the list of problems.
 */
export function readRedisUrl(text: string): string {
  if (URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol)) return text;
  throw new Error('应为 redis:// 或 rediss:// 地址 / must be a redis:// or rediss:// URL');
}
