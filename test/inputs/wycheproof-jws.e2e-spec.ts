import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Request } from 'express';
import { JwtStrategy } from '../../src/auth/jwt.strategy.js';
import { TokenPrincipals } from '../../src/auth/token-principals.js';
import { type UsersService } from '../../src/users/users.service.js';
import { describeWithShared, sharedFolder } from '../support/shared-data.js';

const vectorFile = 'suites/wycheproof-jws/json_web_signature_test.json';

interface Vector {
  tcId: number;
  comment: string;
  jws: string;
  result: 'valid' | 'invalid';
}

interface Group {
  private?: JsonWebKey & { alg?: string };
  public?: JsonWebKey;
  tests: Vector[];
}

/**
 * The strategy's verdict on a token under this key. The payloads of the vectors lack our claims, so the best result is a refusal of
 * the audience, which is checked after the signature.
 */
async function verdict(key: KeyObject, token: string): Promise<'accepted' | 'good signature' | 'refused'> {
  const principals = new TokenPrincipals({ findAccountState: () => Promise.reject(new Error('asked for an account')) } as unknown as UsersService);
  const strategy = new JwtStrategy({ object: key }, principals);
  return new Promise((resolve, reject) => {
    Object.assign(strategy, {
      success: () => resolve('accepted'),
      fail: (reason: Error | string) => resolve(/audience/.test(String(reason)) ? 'good signature' : 'refused'),
      error: reject,
    });
    void strategy.authenticate({ headers: { authorization: `Bearer ${token}` } } as Request, {});
  });
} // prettier-ignore

/** For a symmetric vector, its own key. Otherwise the public key as a text, the classic confusion. */
function keysFor({ private: own, public: published }: Group): KeyObject[] {
  if (own?.kty === 'oct') return [createSecretKey(Buffer.from(own.k!, 'base64url'))];
  const asymmetric = createPublicKey({ key: (published ?? own)!, format: 'jwk' });
  return [
    createSecretKey(Buffer.from(asymmetric.export({ type: 'spki', format: 'pem' }))),
    createSecretKey(asymmetric.export({ type: 'spki', format: 'der' })),
  ];
}

describeWithShared('the JWS vectors of Wycheproof', vectorFile, () => {
  const { testGroups } = JSON.parse(readFileSync(path.join(sharedFolder, vectorFile), 'utf8')) as { testGroups: Group[] };
  const vectors = testGroups.flatMap(group => group.tests.map(test => ({ group, ...test })));
  /** Two vectors of "invalid padding" have no padding: they equal number 357 byte for byte, which is valid. */
  const mislabelled = new Set([367, 370]);

  it('has no token that gets in, and no invalid one whose signature passes', async () => {
    const invalid = vectors.filter(({ result }) => result === 'invalid');
    expect(invalid).toHaveLength(355);
    const valid = new Set(vectors.filter(({ tcId }) => tcId === 357).map(({ jws }) => jws));
    expect(invalid.filter(({ jws }) => valid.has(jws)).map(({ tcId }) => tcId)).toEqual([...mislabelled]);
    const passed: string[] = [];
    for (const { group, tcId, comment, jws } of invalid) {
      for (const key of keysFor(group)) {
        const said = await verdict(key, jws);
        if (said !== 'refused' && !mislabelled.has(tcId)) passed.push(`${tcId} ${comment}: ${said}`);
      }
    }
    expect(passed).toEqual([]);
  });

  it('accepts the signatures of exactly the valid HS256 ones', async () => {
    const symmetric = vectors.filter(({ group }) => group.private?.kty === 'oct');
    expect(symmetric).toHaveLength(40);
    const verdicts = await Promise.all(
      symmetric.map(async ({ group, tcId, comment, jws, result }) => {
        const said = await verdict(keysFor(group)[0]!, jws);
        return { tcId, comment, result, said, jws };
      }),
    );
    // A vector with a character outside the alphabet is valid only for decoders that skip it. RFC 7515, section 2, allows none in a
    // token.
    const isRight = (tcId: number, result: string, jws: string) => mislabelled.has(tcId) || (result === 'valid' && /^[\w.-]+$/.test(jws));
    const wrong = verdicts.filter(({ tcId, result, said, jws }) => isRight(tcId, result, jws) !== (said === 'good signature'));
    expect(wrong).toEqual([]);
    expect(verdicts.filter(({ said }) => said === 'good signature').length).toBeGreaterThan(5);
  });

  it('refuses every valid one of another algorithm', async () => {
    const others = vectors.filter(({ group, result }) => group.private?.kty !== 'oct' && result === 'valid');
    expect(others.length).toBeGreaterThan(20);
    for (const { group, jws } of others) {
      for (const key of keysFor(group)) expect(await verdict(key, jws)).toBe('refused');
    }
  });
});
