import { builtInPasswordPattern, type Settings } from './settings.js';

/** 2^10 rounds take some 50 ms of a core. OWASP asks for at least this bcrypt cost (Password Storage Cheat Sheet). */
const leastBcryptCost = 10;

/** Collects warnings about the settings for the person who starts the service, one sentence each. */
export function startWarnings(settings: Settings): string[] {
  return [...keyWarnings(settings), ...(settings.isProduction ? productionWarnings(settings) : [])];
}

function keyWarnings({ jwtSecretKey, databaseUrl }: Settings): string[] {
  const warnings: string[] = [];
  if (jwtSecretKey === undefined) {
    warnings.push(
      databaseUrl === undefined
        ? '未设置 JWT_SECRET_KEY：签名密钥每次启动随机生成，重启后所有令牌失效 / JWT_SECRET_KEY is unset: the signing key is random at each start, so all tokens end with this process'
        : '未设置 JWT_SECRET_KEY：签名密钥随机生成，重启后失效，且其他进程不接受本进程的令牌 / JWT_SECRET_KEY is unset: the signing key is random, so tokens end with this process and no other process takes them',
    );
  }
  return warnings;
}

/** Warns about defaults that suit a first try but are too open in production. */
function productionWarnings({ rateLimitScale, defaultPasswordPattern, bcryptCost, registrationEnabled }: Settings): string[] {
  const warnings: string[] = [];
  if (rateLimitScale > 1) {
    warnings.push('RATE_LIMIT_SCALE 大于 1：限流被放宽 / RATE_LIMIT_SCALE is above 1: the rate limits are not the documented ones');
  }
  if (defaultPasswordPattern === builtInPasswordPattern) {
    warnings.push(
      'DEFAULT_PASSWORD_PATTERN 为内置值：知道用户名即知其默认密码，请另设 / DEFAULT_PASSWORD_PATTERN is the built-in one: whoever knows a username knows the default password; set another',
    );
  }
  if (bcryptCost < leastBcryptCost) {
    warnings.push(
      `BCRYPT_COST 为 ${bcryptCost}：密码哈希过弱，应不低于 ${leastBcryptCost} / BCRYPT_COST is ${bcryptCost}: password hashes are cheap to guess; set at least ${leastBcryptCost}`,
    );
  }
  if (registrationEnabled) {
    warnings.push(
      'REGISTRATION_ENABLED 为 true：任何人都可注册账号，并使用授权给 everyone 的数仓连接；如不需要，请设 REGISTRATION_ENABLED=false / REGISTRATION_ENABLED is true: anyone may register, and every account uses the warehouse connections that are granted to everyone; set REGISTRATION_ENABLED=false to close this',
    );
  }
  return warnings;
}
