import { type Bilingual } from '../text/bilingual.js';
import { builtInPasswordPattern, type Settings } from './settings.js';

/** The least bcrypt cost: 2^10 rounds take some 50 ms of a core. OWASP asks for at least this cost (Password Storage Cheat Sheet). */
const leastBcryptCost = 10;

/** A warning for the person who starts the service. `remedy` is the setting or request that ends it. */
export interface StartWarning extends Bilingual {
  remedy: string;
}

export function startWarnings(settings: Settings): StartWarning[] {
  return [...misspeltWarnings(settings), ...keyWarnings(settings), ...(settings.isProduction ? productionWarnings(settings) : [])];
}

/**
 * Warns about variables that look like settings and have no effect. They are not refused: a `.env` may hold the settings of other programs.
 */
export function misspeltWarnings({ misspelt }: Pick<Settings, 'misspelt'>): StartWarning[] {
  return misspelt.map(({ name, meant }) => ({
    zh: `${name} 不是本服务的设置，不起作用；是否想写 '${meant}'？`,
    en: `${name} is not a setting of this service and has no effect; did you mean '${meant}'?`,
    remedy: `${meant}=…`,
  }));
}

/** Warns that the first admin still has the password that the documentation publishes. */
export const knownAdminPassword: StartWarning = {
  zh: '首个管理员仍使用文档中的初始密码：任何人都能以管理员身份登录',
  en: 'the first admin still has the password of the documentation: anyone can log in as an admin',
  remedy: 'PUT /api/auth/password {"old_password": "…", "new_password": "…"}',
};

/**
 * Warnings about secret keys. The embedded database gets no warning outside of production: that is a first try, where nobody minds another
 * login after a restart.
 */
function keyWarnings({ jwtSecretKey, databaseUrl, isProduction }: Settings): StartWarning[] {
  const isShared = databaseUrl !== undefined;
  if (jwtSecretKey !== undefined || !(isShared || isProduction)) return [];
  return [
    {
      zh: isShared
        ? '未设置 JWT_SECRET_KEY：签名密钥随机生成，重启后失效，且其他进程不接受本进程的令牌'
        : '未设置 JWT_SECRET_KEY：签名密钥每次启动随机生成，重启后所有令牌失效',
      en: isShared
        ? 'JWT_SECRET_KEY is unset: the signing key is random, so tokens end with this process and no other process takes them'
        : 'JWT_SECRET_KEY is unset: the signing key is random at each start, so all tokens end with this process',
      remedy: 'JWT_SECRET_KEY=$(openssl rand -hex 32)',
    },
  ];
}

/** Warns about defaults that suit a first try but are too open in production. */
function productionWarnings({
  rateLimitScale,
  defaultPasswordPattern,
  bcryptCost,
  registrationEnabled,
  secretEncryptionKeys,
}: Settings): StartWarning[] {
  const warnings: StartWarning[] = [];
  if (secretEncryptionKeys === undefined) {
    warnings.push({
      zh: '未设置 SECRET_ENCRYPTION_KEY：数仓连接的口令由 DATA_DIR 下生成的密钥加密，丢失该文件即无法解密，其他进程也无法使用',
      en: 'SECRET_ENCRYPTION_KEY is unset: passwords of warehouse connections are sealed with a key kept under DATA_DIR; without that file, and in other processes, they cannot be opened',
      remedy: 'SECRET_ENCRYPTION_KEY=$(openssl rand -hex 32)',
    });
  }
  if (rateLimitScale > 1) {
    warnings.push({
      zh: 'RATE_LIMIT_SCALE 大于 1：限流被放宽',
      en: 'RATE_LIMIT_SCALE is above 1: the rate limits are not the documented ones',
      remedy: 'RATE_LIMIT_SCALE=1',
    });
  }
  if (defaultPasswordPattern === builtInPasswordPattern) {
    warnings.push({
      zh: 'DEFAULT_PASSWORD_PATTERN 为内置值：知道用户名即知其默认密码，请另设',
      en: 'DEFAULT_PASSWORD_PATTERN is the built-in one: whoever knows a username knows the default password; set another',
      remedy: "DEFAULT_PASSWORD_PATTERN='{username}-…'",
    });
  }
  if (bcryptCost < leastBcryptCost) {
    warnings.push({
      zh: `BCRYPT_COST 为 ${bcryptCost}：密码哈希过弱，应不低于 ${leastBcryptCost}`,
      en: `BCRYPT_COST is ${bcryptCost}: password hashes are cheap to guess; set at least ${leastBcryptCost}`,
      remedy: 'BCRYPT_COST=12',
    });
  }
  if (registrationEnabled) {
    warnings.push({
      zh: 'REGISTRATION_ENABLED 为 true：任何人都可注册账号，并使用授权给 everyone 的数仓连接；如不需要，请设 REGISTRATION_ENABLED=false',
      en: 'REGISTRATION_ENABLED is true: anyone may register, and every account uses the warehouse connections that are granted to everyone; set REGISTRATION_ENABLED=false to close this',
      remedy: 'REGISTRATION_ENABLED=false',
    });
  }
  return warnings;
}
