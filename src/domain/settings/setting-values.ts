/** Parsers of setting values: numbers, addresses, keys. Their messages never show a secret. */
import { createPrivateKey } from 'node:crypto';
import { nearestNames } from '../values/nearest-name.ts';
import { Secret } from '../values/secret.ts';
import { isAddress } from '../solana/base58.ts';

/** A value, or what is wrong with the text and what would be right. */
export type Parsed<T> = { readonly value: T } | { readonly wrong: string };

export function wholeNumber(least: number, most: number) {
  return (given: string): Parsed<number> => {
    const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    return value >= least && value <= most
      ? { value }
      : { wrong: `${JSON.stringify(given)} is not a whole number from ${least} to ${most}` };
  };
}

export function oneWord<const T extends readonly string[]>(allowed: T) {
  return (given: string): Parsed<T[number]> => {
    if (allowed.includes(given)) return { value: given };
    const [near] = nearestNames(given, allowed, 1);
    return { wrong: `${JSON.stringify(given)} is none of ${allowed.join(', ')}${near ? `: did you mean ${near}?` : ''}` };
  };
}

export function flag(given: string): Parsed<boolean> {
  if (given === 'true' || given === 'false') return { value: given === 'true' };
  return { wrong: `${JSON.stringify(given)} is neither true nor false` };
}

export function text(given: string): Parsed<string> {
  return { value: given };
}

export function tapeFile(given: string): Parsed<string> {
  if (/\.tape(\.ndjson(\.gz)?)?$/.test(given) && !given.includes('\0')) return { value: given };
  return { wrong: `${JSON.stringify(given)} is no tape: its name should end in .tape, .tape.ndjson or .tape.ndjson.gz` };
}

export function catalogFile(given: string): Parsed<string> {
  if (given.endsWith('.json') && !given.includes('\0')) return { value: given };
  return { wrong: `${JSON.stringify(given)} is no catalog: its name should end in .json` };
}

export function folder(given: string): Parsed<string> {
  return given.includes('\0') ? { wrong: 'a folder name cannot hold a null character' } : { value: given };
}

/** Reads the path of a file that another process opens, which must not depend on this process's working folder. */
export function absoluteFile(given: string): Parsed<string> {
  if (given.startsWith('/') && !given.includes('\0')) return { value: given };
  return { wrong: `${JSON.stringify(given)} is no file: it should be a path from the root on, such as /run/secrets/signer-key` };
}

export function host(given: string): Parsed<string> {
  if (/^[A-Za-z0-9.:_-]+$/.test(given)) return { value: given };
  return { wrong: `${JSON.stringify(given)} is not an address to listen on, such as 127.0.0.1, :: or 0.0.0.0 (no scheme, no path)` };
}

function parseUrl(given: string, schemes: readonly string[]): URL | string {
  const like = schemes.map((scheme) => `${scheme}//`).join(' or ');
  const parsed = URL.canParse(given) ? new URL(given) : null;
  if (parsed === null) return `is no URL: it should begin with ${like} and name a host`;
  if (!schemes.includes(parsed.protocol)) return `begins with ${parsed.protocol} and should begin with ${like}`;
  if (parsed.hostname === '') return `names no host: it should look like ${schemes[0]}//host`;
  return parsed;
}

export function url(...schemes: string[]) {
  return (given: string): Parsed<string> => {
    const parsed = parseUrl(given, schemes);
    if (typeof parsed === 'string') return { wrong: parsed };
    if (parsed.username || parsed.password)
      return { wrong: 'holds a user name or password, which logs would show: remove them from the URL' };
    return { value: given };
  };
}

/** Reads a URL, or the word `sandbox` for the system's stand-in, which is never used otherwise. */
export function urlOrSandbox(given: string): Parsed<string> {
  return given === 'sandbox' ? { value: given } : url('https:', 'http:')(given);
}

/** Reads the URL of a store, which may contain a password. */
export function secretUrl(...schemes: string[]) {
  return (given: string): Parsed<Secret> => {
    const parsed = parseUrl(given, schemes);
    return typeof parsed === 'string' ? { wrong: parsed } : { value: new Secret(given) };
  };
}

/** Reads the tokens that wallets of the chain are read for: `USDC=0xaf88…,WETH=0x82aF…`. */
export function evmTokens(given: string): Parsed<readonly { readonly symbol: string; readonly contract: `0x${string}` }[]> {
  const list = given.split(',').map((one) => one.trim().split('='));
  const wrong = list.find(
    ([symbol, contract, more]) =>
      !/^[A-Za-z0-9.+-]{1,16}$/.test(symbol ?? '') || !/^0x[0-9a-fA-F]{40}$/.test(contract ?? '') || more !== undefined,
  );
  if (wrong !== undefined)
    return { wrong: `${JSON.stringify(wrong.join('='))} is no token, such as USDC=0xaf88d065e77c8cC2239327C5EDb3A432268e5831` };
  return { value: list.map(([symbol, contract]) => ({ symbol: symbol as string, contract: contract as `0x${string}` })) };
}

export function secret(given: string): Parsed<Secret> {
  if (/^[\x21-\x7e]+$/.test(given)) return { value: new Secret(given) };
  return { wrong: 'holds spaces or characters that no key has: was it copied whole?' };
}

/** Reads a private key in PEM, whose line breaks may be written as `\n`. A key of another kind would only fail at the first connection. */
function pemKey(given: string, type: 'ed25519' | 'rsa', name: string): Parsed<Secret> {
  const wrong = { wrong: `is no ${name} private key: it should be PEM` };
  try {
    const key = createPrivateKey(given.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType !== type) return wrong;
    return { value: new Secret(key.export({ format: 'pem', type: 'pkcs8' }).toString()) };
  } catch {
    return wrong;
  }
}

/** Reads the exchange's secret: a shared secret, or an Ed25519 key whose public half the exchange has. */
export function exchangeSecret(given: string): Parsed<Secret> {
  return given.startsWith('-----') ? pemKey(given, 'ed25519', 'Ed25519') : secret(given);
}

export function macroKey(given: string): Parsed<Secret> {
  if (/^[0-9a-z]{32}$/.test(given)) return { value: new Secret(given) };
  return { wrong: 'is no key of the provider: it should be 32 lower-case letters and digits' };
}

export function contact(given: string): Parsed<string> {
  if (/^[\x20-\x7e]{1,200}$/.test(given) && /\S+@\S+\.\S+/.test(given)) return { value: given };
  return {
    wrong: `${JSON.stringify(given)} names nobody: it should be a company and an e-mail address, such as Example Desk desk@example.com`,
  };
}

export function chainAddress(given: string): Parsed<string> {
  if (isAddress(given)) return { value: given };
  return { wrong: `${JSON.stringify(given)} is not an address of the primary chain: 32 bytes in base58 are` };
}

export function programs(given: string): Parsed<readonly string[]> {
  const found = given.split(',').map((one) => one.trim());
  const wrong = found.find((one) => !isAddress(one));
  if (wrong === undefined) return { value: found };
  return { wrong: `${JSON.stringify(wrong)} is no program: it should be an address of the primary chain, 32 bytes in base58` };
}

export function origins(given: string): Parsed<readonly string[]> {
  const list = given
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  const wrong = list.find((one) => !/^https?:/.test(one) || !URL.canParse(one) || new URL(one).origin !== one);
  if (wrong === undefined) return { value: list };
  return {
    wrong: `${JSON.stringify(wrong)} is no origin, such as https://desk.example (scheme, host and port; no path, no slash at the end)`,
  };
}

/** Reads an RSA key, with which the provider's tokens are signed. */
export function rsaKey(given: string): Parsed<Secret> {
  return pemKey(given, 'rsa', 'RSA');
}

/** Reads an authorization key of the identity provider, `wallet-auth:<base64 PKCS #8>` or PEM. */
export function p256Key(given: string): Parsed<Secret> {
  const wrong = { wrong: 'is no P-256 private key: it should be PEM or base64 PKCS #8, with or without the prefix wallet-auth:' };
  const body = given.replace(/^wallet-(auth|api):/, '').replaceAll('\\n', '\n');
  try {
    const key = body.startsWith('-----')
      ? createPrivateKey(body)
      : createPrivateKey({ key: Buffer.from(body, 'base64'), format: 'der', type: 'pkcs8' });
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return wrong;
    return { value: new Secret(key.export({ format: 'pem', type: 'pkcs8' }).toString()) };
  } catch {
    return wrong;
  }
}
