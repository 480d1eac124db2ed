/**
 * The signer process (spec section 5.6): the only one that holds the authorization key. It is told two lines on standard
 * input, where the key is and where to listen; takes ids of prepared transactions from a private socket; and ends with its parent.
 */
import { closeSync, fstatSync, readFileSync, readSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createLiveClock } from '../../streams/live-clock.ts';
import { type AuthorizationKey, authorizationKey } from '../adapters/identity/authorization-signature.ts';
import { createRemoteSigner } from '../adapters/identity/remote-signer.ts';
import { listenAsSigner } from '../adapters/identity/signer-socket.ts';
import { verifyEd25519 } from '../adapters/solana/ed25519.ts';
import { openDatabase } from '../adapters/store/database.ts';
import { createSigningReads } from '../adapters/store/delegations/signing-reads.ts';
import { createRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { ALL_ENABLED } from '../domain/risk/index.ts';
import { createSigning } from '../trading/signing-validation.ts';
import { type LogLevel } from './config.ts';
import { loadListedTokens } from './listed-tokens.ts';
import { createLog } from './log.ts';

/** What only this process may hold. `key` is null where it lies in a file. */
export interface SignerKeys {
  readonly key: string | null;
  readonly appSecret: string;
}

/** The first line. */
export interface SignerSecret {
  /** Null: they lie in the descriptor that the process was begun with, so that the next one can be given them as well. */
  readonly keys: SignerKeys | null;
  readonly keyFile: string | null;
  readonly appId: string;
  readonly logLevel: LogLevel;
}

/** The second line, once the database is there. */
export interface SignerPlace {
  readonly databaseUrl: string;
  /** The remote signer. */
  readonly url: string;
  readonly socket: string;
  readonly isSandboxed: boolean;
}

/** What either line is answered with, as a line on standard output. */
export type SignerTold = { readonly ok: true; readonly publicKey: string } | { readonly ok: false; readonly wrong: string };

const DATABASE_CONNECTIONS = 4;
/** The descriptor after the three of every process. */
const SEALED = 3;

// A signal that would open the debugger's port, and those that the terminal sends to the whole group: it ends with its parent.
for (const signal of ['SIGUSR1', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.on('close', () => process.exit(0));

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
const tell = (told: SignerTold): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

async function nextLine<T>(): Promise<T> {
  const { value, done } = await lines.next();
  if (done === true) process.exit(0);
  return JSON.parse(value) as T;
}

/** The secrets that were sealed for this process. Read by place: every life begins at the first byte. */
function unsealed(): SignerKeys {
  const bytes = Buffer.alloc(fstatSync(SEALED).size);
  readSync(SEALED, bytes, 0, bytes.length, 0);
  closeSync(SEALED);
  return JSON.parse(bytes.toString('utf8')) as SignerKeys;
}

/** The key; a sentence where there is none. Nothing of what was given is repeated. */
function keyOf(key: string | null, keyFile: string | null): AuthorizationKey | string {
  if (keyFile === null) return authorizationKey(key ?? '') ?? 'IDP_AUTHORIZATION_PRIVATE_KEY: is no P-256 private key';
  try {
    return (
      authorizationKey(readFileSync(keyFile, 'utf8')) ??
      `IDP_AUTHORIZATION_PRIVATE_KEY_FILE: ${keyFile} holds no P-256 private key: it should be PEM or base64 PKCS #8, with or without the prefix wallet-auth:`
    );
  } catch (error) {
    return `IDP_AUTHORIZATION_PRIVATE_KEY_FILE: ${keyFile} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
  }
}

async function work(): Promise<void> {
  const { keys, keyFile, appId, logLevel } = await nextLine<SignerSecret>();
  const { key: given, appSecret } = keys ?? unsealed();
  const key = keyOf(given, keyFile);
  if (typeof key === 'string') return tell({ ok: false, wrong: key });
  tell({ ok: true, publicKey: key.publicKey });
  const place = await nextLine<SignerPlace>();
  const log = createLog(logLevel);
  const clock = createLiveClock();
  const sql = openDatabase({ url: place.databaseUrl, connections: DATABASE_CONNECTIONS, name: 'sevengate signer', readOnly: true });
  const remote = createRemoteSigner({ baseUrl: place.url, appId, appSecret, key, clock });
  const sign = createSigning({
    reads: createSigningReads(sql),
    risk: createRiskReads(sql),
    // It signs on the primary chain alone, and is there because that is switched on.
    disabledVenues: () => ALL_ENABLED,
    remote,
    verifySignature: verifyEd25519,
    clock,
  });
  try {
    await listenAsSigner({
      path: place.socket,
      sign: async (orderId) => {
        // Agent tokens are listed while the service runs.
        await loadListedTokens(sql, place.isSandboxed);
        const answer = await sign(orderId);
        log.info({ orderId, outcome: answer.outcome, ...(answer.outcome === 'refused' ? { code: answer.code } : {}) }, 'asked to sign');
        return answer;
      },
      onError: (error) => log.error({ err: error }, 'the signer'),
    });
  } catch (error) {
    return tell({ ok: false, wrong: (error as Error).message });
  }
  tell({ ok: true, publicKey: key.publicKey });
}

await work();
