/** `npm run test:noisy`; in `npm test` a short part runs, whose bounds also hold on a machine that is busy with other tests. */
export const isLong = process.env.NOISY_TESTS === '1';
