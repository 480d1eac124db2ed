/**
 * The keys of organizations at the spot exchange: one file per organization under `exchange-keys` of the state folder, which only
 * its owner may read. The signer process reads them, each anew for every request; the command line writes them.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../domain/time.ts';
import type { ExchangeKeys } from '../../trading/ports.ts';
import { type SpotCredentials, spotSigner } from '../venues/spotexchange/signature.ts';

const SUFFIX = '.json';

/** A key as its file holds it. */
export interface ExchangeKeyFile extends SpotCredentials {
  /** The exchange's own number of the account. */
  readonly account: string;
  readonly addedAt: EpochMs;
}

/** A key without its secret. */
export interface ListedExchangeKey {
  readonly orgId: string;
  /** The first characters of the public key. */
  readonly keyStart: string;
  readonly account: string;
  readonly addedAt: EpochMs;
}

function folderOf(home: string): string {
  return join(home, 'exchange-keys');
}

/** The key of an organization; null where it has none. @throws Error in one sentence, without a character of the key. */
export function readExchangeKey(home: string, orgId: string): ExchangeKeyFile | null {
  const file = join(folderOf(home), orgId + SUFFIX);
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new Error(`${file} can be read by others: chmod 600 it, and replace the key where it may be known`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const read = parsed(text);
  if (read === null) throw new Error(`${file} holds no key of the spot exchange: add it again with sevengate exchange-keys add`);
  return read;
}

function parsed(text: string): ExchangeKeyFile | null {
  try {
    const { key, secret, account, addedAt } = JSON.parse(text) as Partial<ExchangeKeyFile>;
    const isWhole = [key, secret, account].every((each) => typeof each === 'string' && each !== '') && Number.isSafeInteger(addedAt);
    return isWhole ? ({ key, secret, account, addedAt } as ExchangeKeyFile) : null;
  } catch {
    return null;
  }
}

/** Every key, by organization. @throws as `readExchangeKey` does */
export function listExchangeKeys(home: string): readonly ListedExchangeKey[] {
  return fileNames(home)
    .filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const orgId = name.slice(0, -SUFFIX.length);
      const read = readExchangeKey(home, orgId);
      return read === null ? [] : [{ orgId, keyStart: read.key.slice(0, 4), account: read.account, addedAt: read.addedAt }];
    });
}

/** Puts a key in the place of the one before, in one move: a request is signed with the one or with the other. */
export function writeExchangeKey(home: string, orgId: string, key: ExchangeKeyFile): void {
  const folder = folderOf(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const draft = join(folder, `.${orgId}.${process.pid}.draft`);
  writeFileSync(draft, JSON.stringify(key), { mode: 0o600 });
  renameSync(draft, join(folder, orgId + SUFFIX));
}

/** Takes a key away; false where there was none. */
export function removeExchangeKey(home: string, orgId: string): boolean {
  const isThere = fileNames(home).includes(orgId + SUFFIX);
  rmSync(join(folderOf(home), orgId + SUFFIX), { force: true });
  return isThere;
}

function fileNames(home: string): readonly string[] {
  try {
    return readdirSync(folderOf(home));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The keys as the signer asks for them. An account that two organizations have a key of is used for neither: their orders would
 * meet in it.
 */
export function exchangeKeysIn(home: string): ExchangeKeys {
  return {
    of(orgId) {
      const read = readExchangeKey(home, orgId);
      if (read === null) return null;
      const others = listExchangeKeys(home).filter((one) => one.orgId !== orgId && one.account === read.account);
      if (others.length > 0)
        throw new Error(`organizations ${orgId} and ${others[0]?.orgId} both have a key of account ${read.account}: remove one of the two`);
      return { apiKey: read.key, sign: spotSigner(read.secret) };
    },
  };
}
