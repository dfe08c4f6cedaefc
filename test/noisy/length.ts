/** `npm run test:noisy` runs all. In `npm test` a short part runs, with bounds that also hold on a machine busy with other tests. */
export const isLong = process.env.NOISY_TESTS === '1';
