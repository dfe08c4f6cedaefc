import { isSecret, newSecret, signatureHeaders } from './sign-message.js';

describe('the signature of a message', () => {
  it('is that of the examples of Standard Webhooks', () => {
    // The test vector of the libraries at https://github.com/standard-webhooks/standard-webhooks
    const body = '{"test": 2432232314}';
    expect(signatureHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it.each([
    [newSecret(), true],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
    ['whsec_', false],
    ['whsec_c2hvcnQ=', false],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!w', false],
  ])('takes a secret of enough bytes only: %s', (text, is) => {
    expect(isSecret(text)).toBe(is);
  });
});
