/** Signatures of the spot exchange compared with its published vector and with Node's own verification. */
import { generateKeyPairSync, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { spotSigner } from '../../../../src/adapters/venues/spotexchange/spot-signer.ts';

const PAYLOAD = 'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';

test('the published HMAC vector', () => {
  const sign = spotSigner('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
  expect(sign(PAYLOAD)).toBe('c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71');
});

test('an Ed25519 signature is percent-encoded base64 and verifies', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signature = spotSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())(PAYLOAD);
  expect(signature).toMatch(/^[A-Za-z0-9%]+$/);
  expect(verify(null, Buffer.from(PAYLOAD), publicKey, Buffer.from(decodeURIComponent(signature), 'base64'))).toBe(true);
});

test('a private key of another kind is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  expect(() => spotSigner(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())).toThrow(/Ed25519/);
});
