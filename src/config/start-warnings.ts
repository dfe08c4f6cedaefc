import { type Settings } from './settings.js';

/** What a person who starts the service should know of its settings, one sentence each. */
export function startWarnings({ jwtSecretKey, databaseUrl, rateLimitScale, isProduction }: Settings): string[] {
  const warnings: string[] = [];
  if (jwtSecretKey === undefined) {
    warnings.push(
      databaseUrl === undefined
        ? '未设置 JWT_SECRET_KEY：签名密钥每次启动随机生成，重启后所有令牌失效 / JWT_SECRET_KEY is unset: the signing key is random at each start, so all tokens end with this process'
        : '未设置 JWT_SECRET_KEY：签名密钥随机生成，重启后失效，且其他进程不接受本进程的令牌 / JWT_SECRET_KEY is unset: the signing key is random, so tokens end with this process and no other process takes them',
    );
  }
  if (rateLimitScale > 1 && isProduction) {
    warnings.push('RATE_LIMIT_SCALE 大于 1：限流被放宽 / RATE_LIMIT_SCALE is above 1: the rate limits are not the documented ones');
  }
  return warnings;
}
