import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { keepSecret, openDataDirectory } from '../database/embedded/data-directory.js';
import { keyIdOf, open, seal, type SealingKey, sealingKey } from './sealed-text.js';
import { SecretUnreadableError } from './secrets.errors.js';

const keyFileName = 'secret-encryption.key';

/**
 * Seals secrets that the database keeps, such as DSNs. The first key of SECRET_ENCRYPTION_KEY seals and each of them opens; without
 * the setting a key under DATA_DIR is made when the first secret is sealed.
 */
@Injectable()
export class SecretBox {
  private keys: Promise<SealingKey[]> | undefined;

  constructor(private readonly settings: Settings) {}

  async seal(text: string, owner: string): Promise<string> {
    const [first] = await this.load();
    return seal(text, owner, first!);
  }

  /** @throws SecretUnreadableError if its key is gone, or the text belongs elsewhere or was changed */
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

  /** Tells whether another key than the first one sealed the text. */
  async isOld(sealed: string): Promise<boolean> {
    const [first] = await this.load();
    return keyIdOf(sealed) !== first!.id;
  }

  private load(): Promise<SealingKey[]> {
    this.keys ??= this.readSecrets().then(secrets => secrets.map(sealingKey));
    // A folder that could not be written may be writable the next time.
    this.keys.catch(() => (this.keys = undefined));
    return this.keys;
  }

  private async readSecrets(): Promise<string[]> {
    const { secretEncryptionKeys, dataDirectory } = this.settings;
    return secretEncryptionKeys ?? [await keepSecret(path.join(await openDataDirectory(dataDirectory), keyFileName))];
  }
}
