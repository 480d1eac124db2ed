// No private key of a user can enter the product: nothing makes a key pair from a secret, and no column could hold one.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { product } from './source.ts';

/** Calls of our libraries that make a signer from secret bytes. */
const FROM_SECRET =
  /\b(fromSecretKey|fromSeed|createKeyPairFromBytes|createKeyPairFromPrivateKeyBytes|createKeyPairSignerFromBytes|createKeyPairSignerFromPrivateKeyBytes|privateKeyToAccount|mnemonicToAccount|hdKeyToAccount)\b/;
/** Files permitted to read a private key, and whose it is. */
const READS_A_KEY: Readonly<Record<string, string>> = {
  'src/adapters/identity/authorization-signature.ts': 'the authorization key, in the signer process alone',
  'src/adapters/signing-keys/writer-keys.ts': "the writers' own keys, which sign what they write and nothing that moves money",
  'src/adapters/venues/spotexchange/spot-signer.ts': "the operator's own key at the exchange",
  'src/adapters/venues/prediction/kalshi/kalshi-signer.ts': "the operator's own key at the provider",
  'src/domain/settings/setting-values.ts': 'looks whether a setting is a key at all',
};

test('only the sandbox makes key pairs from secrets', () => {
  const found = product.filter(({ path, code }) => !path.startsWith('src/sandbox/') && FROM_SECRET.test(code));
  expect(found.map(({ path }) => path)).toEqual([]);
});

test('private keys are read in the files that are named here, and nowhere else', () => {
  const found = product.filter(({ path, code }) => !path.startsWith('src/sandbox/') && /\bcreatePrivateKey\b/.test(code));
  expect(found.map(({ path }) => path).sort()).toEqual(Object.keys(READS_A_KEY).sort());
});

test('the key of delegated signing is read by what the signer process runs, and handed over by one file', () => {
  const named = product.filter(({ path, code }) => !path.startsWith('src/sandbox/') && /\bauthorizationKey\(/.test(code));
  expect(named.map(({ path }) => path).sort()).toEqual([
    'src/adapters/identity/authorization-signature.ts',
    'src/adapters/identity/signer/program.ts',
  ]);
  const handing = product.filter(({ code }) => /\bIDP_AUTHORIZATION_PRIVATE_KEY\b/.test(code));
  expect(handing.map(({ path }) => path).sort()).toEqual(['src/boot/config.ts', 'src/boot/signer/signer.ts']);
});

test('no column is named after a private key', () => {
  const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));
  const columns = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .flatMap((name) => readFileSync(folder + name, 'utf8').match(/^\s+(\w*(private_key|secret|mnemonic|seed_phrase)\w*)\s/gim) ?? []);
  expect(columns).toEqual([]);
});
