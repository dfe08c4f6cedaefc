import bcrypt from 'bcrypt';
import { type Settings } from '../config/settings.js';
import { type ClientAddressService } from '../limits/client-address.service.js';
import { type Telemetry } from '../telemetry/telemetry.service.js';
import { PasswordHasher } from './password-hasher.js';

type Hash = (text: string, rounds: number) => Promise<string>;
type Compare = (text: string, stored: string) => Promise<boolean>;

// The real bcrypt runs. The cost of each call is noted.
const hash = jest.spyOn(bcrypt as { hash: Hash }, 'hash');
const compare = jest.spyOn(bcrypt as { compare: Compare }, 'compare');

const cost = 7;
const telemetry = { watch: () => undefined } as unknown as Telemetry;
const addresses = { currentNetwork: () => '192.0.2.1' } as unknown as ClientAddressService;
const hasherOf = (bcryptCost: number) => new PasswordHasher({ bcryptCost } as Settings, telemetry, addresses);

/** Counts the rounds of key expansion, which make up the time of bcrypt. */
function work(): number {
  const costs = [...hash.mock.calls.map(([, rounds]) => rounds), ...compare.mock.calls.map(([, stored]) => bcrypt.getRounds(stored))];
  return costs.reduce((sum, rounds) => sum + 2 ** rounds, 0);
}

describe('a wrong password', () => {
  it.each([
    ['for nobody', undefined],
    ["against a hash of today's cost", cost],
    ['against a hash of a lower cost', cost - 1],
    ['against a hash of a much lower cost', 4],
  ])('takes the work of one hash %s', async (_, stored) => {
    const hasher = hasherOf(cost);
    const against = stored === undefined ? undefined : await hasherOf(stored).hash('right');
    await hasher.verify('warm-up', undefined);
    hash.mockClear();
    compare.mockClear();
    expect(await hasher.verify('wrong', against)).toBe(false);
    expect(work()).toBe(2 ** cost);
  });

  it('differs from the right one beyond the 72 bytes that bcrypt reads', async () => {
    const hasher = hasherOf(4);
    const stored = await hasher.hash(`${'长'.repeat(100)}a`);
    expect(await hasher.verify(`${'长'.repeat(100)}b`, stored)).toBe(false);
    expect(await hasher.verify(`${'长'.repeat(100)}a`, stored)).toBe(true);
  });
});
