import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { keepSecret, openDataDirectory } from '../database/embedded/data-directory.js';
import { keyIdOf, open, seal, type SealingKey, sealingKey } from './sealed-text.js';
import { SecretUnreadableError } from './secrets.errors.js';

const keyFileName = 'secret-encryption.key';

/** The file of the key that seals secrets where SECRET_ENCRYPTION_KEY is unset. It exists once a secret was sealed. */
export function keyFileOf({ dataDirectory }: Pick<Settings, 'dataDirectory'>): string {
  return path.resolve(dataDirectory, keyFileName);
}

/**
 * Encrypts secrets that the database stores, such as DSNs. The first key of SECRET_ENCRYPTION_KEY encrypts, and each of its keys decrypts.
 * Without that setting, a key under DATA_DIR is created when the first secret is encrypted.
 */
@Injectable()
export class SecretBox {
  private keys: Promise<SealingKey[]> | undefined;

  constructor(private readonly settings: Settings) {}

  async seal(text: string, owner: string): Promise<string> {
    const [first] = await this.load();
    return seal(text, owner, first!);
  }

  /**
   * Decrypts a secret. @throws SecretUnreadableError if the key of the text is gone, or the text was changed or belongs to another owner
   */
  async open(sealed: string, owner: string): Promise<string> {
    const id = keyIdOf(sealed);
    const key = (await this.load()).find(each => each.id === id);
    if (!key) throw new SecretUnreadableError(undefined);
    try {
      return open(sealed, owner, key);
    } catch (cause) {
      throw new SecretUnreadableError(cause);
    }
  }

  /** Whether the text was encrypted with another key than the first one. */
  async isOld(sealed: string): Promise<boolean> {
    const [first] = await this.load();
    return keyIdOf(sealed) !== first!.id;
  }

  private load(): Promise<SealingKey[]> {
    this.keys ??= this.readSecrets().then(secrets => secrets.map(sealingKey));
    // A failure is not kept: a directory that could not be written may be writable next time.
    this.keys.catch(() => (this.keys = undefined));
    return this.keys;
  }

  private async readSecrets(): Promise<string[]> {
    const { secretEncryptionKeys, dataDirectory } = this.settings;
    return secretEncryptionKeys ?? [await keepSecret(path.join(await openDataDirectory(dataDirectory), keyFileName))];
  }
}
