/**
 * Record of signings, in a file beside the signer's key, so that an attacker on the database can neither reset the count nor raise the
 * limit. A line is synced to disk before a signature is requested.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { Decimal, type DecimalString } from '../../domain/values/decimal.ts';
import { DAY_MS, type EpochMs } from '../../domain/values/time.ts';

/** Length of the window of the limit. */
export const SIGNING_WINDOW_MS = DAY_MS;

interface Line {
  readonly at: EpochMs;
  readonly orderId: string;
  readonly digest: string;
  readonly notionalUsd: DecimalString;
}

/**
 * Opens the ledger, readable by its owner only. @param limitUsd maximum US dollars of all signings in a window at their worst prices
 * @throws Error with one sentence if the file contains anything else; then nothing is signed
 */
export function openSigningLedger(file: string, limitUsd: DecimalString) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lines = readLedgerLines(file);
  return {
    /**
     * Counts a signing before it is requested, whatever its result. Returns why it must not be signed (the window is used up, or this order
     * was signed with another message), or null if it is counted. An amount of 0, as of a sale, is above no limit.
     */
    count(signing: {
      readonly orderId: string;
      /** SHA-256 of the message in hexadecimal. */
      readonly digest: string;
      readonly notionalUsd: string;
      readonly at: EpochMs;
    }): string | null {
      const before = lines.find(({ orderId }) => orderId === signing.orderId);
      if (before !== undefined)
        return before.digest === signing.digest
          ? null
          : `order ${signing.orderId} was signed with another message: nothing is signed twice`;
      // Setting the clock back must not empty the window.
      const since = signing.at - SIGNING_WINDOW_MS;
      const used = lines.filter(({ at }) => at > since).reduce((sum, { notionalUsd }) => sum.plus(notionalUsd), new Decimal(0));
      if (new Decimal(signing.notionalUsd).gt(0) && used.plus(signing.notionalUsd).gt(limitUsd))
        return `the signer has signed for ${used.toFixed()} US dollars within 24 hours; with ${signing.notionalUsd} more it would be above its limit of ${limitUsd}`;
      append(file, signing);
      lines.push(signing);
      return null;
    },
  };
}

/** Record of the signer's signatures, stored where no database password reaches. */
export type SigningLedger = ReturnType<typeof openSigningLedger>;

function append(file: string, { at, orderId, digest, notionalUsd }: Line): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify({ at, orderId, digest, notionalUsd })}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function readLedgerLines(file: string): Line[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parseLine(line, `${file}: line ${index + 1}`));
}

function parseLine(text: string, where: string): Line {
  try {
    const line = JSON.parse(text) as Line;
    if (Number.isSafeInteger(line.at) && line.orderId !== '' && line.digest !== '' && !new Decimal(line.notionalUsd).isNegative())
      return line;
  } catch {
    // Reported below.
  }
  throw new Error(`${where} is not a signing record: the signed total is unknown, so nothing is signed`);
}
