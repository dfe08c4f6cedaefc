import { findMisspelt, type MisspeltName } from './misspelt-names.js';
import { isPlaceholder, passwordIn } from './placeholder.js';

/** An environment variable as users see it. `docs/settings.md` and `.env.example` are generated from these descriptions. */
export interface SettingDescription {
  name: string;
  type: string;
  default: string;
  meaning: string;
  secret: boolean;
}

interface Bounds {
  min?: number;
  max?: number;
}

/** Lists all problems of the environment at once, so that one round of corrections is enough. A single problem takes a single line. */
export class InvalidSettingsError extends Error {
  constructor(readonly problems: string[]) {
    const [problem = ''] = problems;
    super(problems.length === 1 ? problem : `设置有误 / Invalid settings:\n${problems.map(line => `  - ${line}`).join('\n')}`);
  }
}

/** Reads typed values from an environment and remembers which names were read. An empty value counts as unset. */
export class SettingsReader {
  readonly described: SettingDescription[] = [];
  readonly problems: string[] = [];
  /** The names of variables that have a value, even if the value was refused. */
  readonly given = new Set<string>();
  /** The values that no log may show: secrets that are set, and passwords inside URLs. */
  readonly secrets: string[] = [];

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  text(name: string, fallback: string, meaning: string): string {
    return this.raw(name, 'text', fallback, meaning) ?? fallback;
  }

  optionalText(name: string, meaning: string, shownDefault = ''): string | undefined {
    return this.raw(name, 'text', shownDefault, meaning);
  }

  /** Reads a text that never reaches a log. A text of fewer than `minBytes` bytes is refused, because it could be guessed. */
  secret(name: string, meaning: string, shownDefault: string, minBytes = 0): string | undefined {
    const value = this.raw(name, 'secret', shownDefault, meaning, true);
    if (value !== undefined && Buffer.byteLength(value) < minBytes) {
      this.problems.push(`${name}: 至少需要 ${minBytes} 字节 / needs at least ${minBytes} bytes`);
    }
    return value;
  }

  integer(name: string, fallback: number, meaning: string, { min = 0, max = 2_147_483_647 }: Bounds = {}): number {
    const value = this.raw(name, 'integer', String(fallback), meaning);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (/^\d{1,15}$/.test(value) && number >= min && number <= max) return number;
    this.problems.push(`${name}: 应为 ${min} 到 ${max} 之间的整数 / must be an integer from ${min} to ${max}, got "${value}"`);
    return fallback;
  }

  boolean(name: string, fallback: boolean, meaning: string): boolean {
    const value = this.raw(name, 'true | false', String(fallback), meaning);
    if (value === undefined) return fallback;
    if (value === 'true' || value === 'false') return value === 'true';
    this.problems.push(`${name}: 应为 true 或 false / must be true or false, got "${value}"`);
    return fallback;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T, meaning: string): T {
    const value = this.raw(name, choices.join(' | '), fallback, meaning);
    if (value === undefined) return fallback;
    const choice = choices.find(candidate => candidate === value);
    if (choice === undefined)
      this.problems.push(`${name}: 应为 ${choices.join('、')} 之一 / must be one of ${choices.join(', ')}, got "${value}"`);
    return choice ?? fallback;
  }

  /** Reads a text with a default and a check. `parse` throws an Error whose message says what the setting accepts. */
  checked(name: string, fallback: string, meaning: string, parse: (text: string) => string): string {
    return this.parsed(name, meaning, { type: 'text', default: fallback }, parse) ?? fallback;
  }

  /**
   * Reads a value that `parse` understands; `parse` throws an Error whose message says what the setting accepts. Undefined if the variable
   * is unset or its value is refused.
   */
  parsed<T>(
    name: string,
    meaning: string,
    form: { type: string; default: string; secret?: boolean },
    parse: (text: string) => T,
  ): T | undefined {
    const value = this.raw(name, form.type, form.default, meaning, form.secret);
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      this.problems.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Returns the variables that look like settings but are not. Call this method after all settings were read. */
  misspelt(): MisspeltName[] {
    return findMisspelt(
      Object.keys(this.environment),
      this.described.map(({ name }) => name),
    );
  }

  private raw(name: string, type: string, fallback: string, meaning: string, secret = false): string | undefined {
    this.described.push({ name, type, default: fallback, meaning, secret });
    const value = this.environment[name]?.trim();
    if (secret && value !== undefined) this.judgeSecret(name, value);
    if (value === undefined || value === '') return undefined;
    this.given.add(name);
    return value;
  }

  /**
   * Remembers a secret for the log, which hides it. In production it also refuses an empty or well-known value: the deployment went wrong.
   */
  private judgeSecret(name: string, value: string): void {
    const guarded = value.includes('://') ? passwordIn(value) : value;
    this.secrets.push(...new Set([value, guarded ?? ''].filter(part => part !== '')));
    if (this.environment.NODE_ENV !== 'production') return;
    if (value === '') this.problems.push(`${name}: 已设置但为空，请填写或删除 / is set but empty: fill it in or remove it`);
    else if (guarded !== undefined && isPlaceholder(guarded)) {
      this.problems.push(`${name}: 是占位值，请换成真正的密钥 / is a placeholder: replace it with a real secret`);
    }
  }
}
