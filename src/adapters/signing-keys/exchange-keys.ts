/**
 * Keys of organizations for the spot exchange: one file per organization in `exchange-keys` of the state folder, readable by its owner
 * only. The signer process reads a file again after a change; the command line writes them.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../domain/values/time.ts';
import { isPrivateKey, type SpotCredentials, spotSigner } from '../venues/spotexchange/spot-signer.ts';

const SUFFIX = '.json';

/** Content of a key file. */
interface ExchangeKeyFile extends SpotCredentials {
  /** Account number at the exchange. */
  readonly account: string;
  readonly addedAt: EpochMs;
}

/** Key without its secret. */
interface ListedExchangeKey {
  readonly orgId: string;
  /** First characters of the public key. */
  readonly keyStart: string;
  readonly account: string;
  readonly addedAt: EpochMs;
}

function toFolder(home: string): string {
  return join(home, 'exchange-keys');
}

/** Reads an organization's key; null if it has none. @throws Error with one sentence, without any part of the key */
export function readExchangeKey(home: string, orgId: string): ExchangeKeyFile | null {
  const file = join(toFolder(home), orgId + SUFFIX);
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new Error(`${file} can be read by others: run chmod 600 on it, and replace the key if it may have leaked`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const read = parsed(text);
  if (read === null) throw new Error(`${file} has no key of the spot exchange: add it again with sevengate exchange-keys add`);
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

/** Returns every key by organization. @throws as `readExchangeKey` does */
export function listExchangeKeys(home: string): readonly ListedExchangeKey[] {
  return keyFilesIn(home).flatMap((orgId) => {
    const read = readExchangeKey(home, orgId);
    return read === null ? [] : [{ orgId, keyStart: read.key.slice(0, 4), account: read.account, addedAt: read.addedAt }];
  });
}

/** Returns the organizations with a file, sorted. */
function keyFilesIn(home: string): readonly string[] {
  return fileNames(home)
    .filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'))
    .map((name) => name.slice(0, -SUFFIX.length))
    .sort();
}

/** Replaces an organization's key atomically. */
export function writeExchangeKey(home: string, orgId: string, key: ExchangeKeyFile): void {
  const folder = toFolder(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const draft = join(folder, `.${orgId}.${process.pid}.draft`);
  writeFileSync(draft, JSON.stringify(key), { mode: 0o600 });
  renameSync(draft, join(folder, orgId + SUFFIX));
}

/** Removes a key; false if there was none. */
export function removeExchangeKey(home: string, orgId: string): boolean {
  const isThere = fileNames(home).includes(orgId + SUFFIX);
  rmSync(join(toFolder(home), orgId + SUFFIX), { force: true });
  return isThere;
}

function fileNames(home: string): readonly string[] {
  try {
    return readdirSync(toFolder(home));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Cached key and the state of its file when it was read. */
interface KeptKey {
  /** Stamp of the file, which changes with every write, replacement and change of mode. */
  readonly stamp: string;
  readonly key: ExchangeKeyFile;
}

/**
 * Keys for the signer: read on first use and after a change of the file. If two organizations have a key of one account, neither is used,
 * because their orders would mix. An invalid file affects its own organization only.
 */
export function exchangeKeysIn(home: string) {
  const kept = new Map<string, KeptKey>();
  let folderStamp: string | null = null;

  /** @throws as `readExchangeKey` does */
  function fresh(orgId: string): ExchangeKeyFile | null {
    const stamp = readStamp(join(toFolder(home), orgId + SUFFIX));
    const before = kept.get(orgId);
    if (before !== undefined && before.stamp === stamp) return before.key;
    kept.delete(orgId);
    const key = readExchangeKey(home, orgId);
    if (key !== null && stamp !== null) kept.set(orgId, { stamp, key });
    return key;
  }

  /** Reads new files of other organizations. A changed file is read when its own organization asks. */
  function lookAtOthers(): void {
    const stamp = readStamp(toFolder(home));
    if (stamp === folderStamp) return;
    const orgIds = keyFilesIn(home);
    for (const orgId of kept.keys()) if (!orgIds.includes(orgId)) kept.delete(orgId);
    for (const orgId of orgIds) {
      try {
        fresh(orgId);
      } catch {
        // The file's organization gets this error when it asks for its key.
      }
    }
    folderStamp = stamp;
  }

  return {
    /** Returns the key stored in its file now, so that a replaced key applies at once. Null if there is none. */
    of(orgId: string): {
      readonly apiKey: string;
      /** True if a signature of this key on a stream request would also open a session that places orders without signatures. */
      readonly opensSessions: boolean;
      sign(query: string): string;
    } | null {
      const read = fresh(orgId);
      if (read === null) return null;
      lookAtOthers();
      const other = [...kept].find(([id, { key }]) => id !== orgId && key.account === read.account);
      if (other !== undefined)
        throw new Error(`organizations ${orgId} and ${other[0]} both have a key of account ${read.account}: remove one of the two`);
      return { apiKey: read.key, opensSessions: isPrivateKey(read.secret), sign: spotSigner(read.secret) };
    },
  };
}

/** Keys of organizations at the spot exchange, which only the signer process has. */
export type ExchangeKeys = ReturnType<typeof exchangeKeysIn>;

/** Returns a stamp of a file or folder; null if it does not exist. */
function readStamp(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : [stats.ino, stats.mtimeNs, stats.ctimeNs, stats.size].join(' ');
}
