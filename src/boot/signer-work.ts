/**
 * The signer process: the only one that holds the authorization key. It is told two lines on standard input, where the key
 * is and where to listen; takes ids of prepared transactions with the worker's signature from a private socket; and ends
 * with its parent. Of the database it believes nothing that decides where value goes: that is signed, or asked of the chain.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type AuthorizationKey, authorizationKey } from '../adapters/identity/authorization-signature.ts';
import { createRemoteSigner } from '../adapters/identity/remote-signer.ts';
import { unsealed } from '../adapters/identity/signer-process.ts';
import type { SignerPlace, SignerSecret, SignerTold } from '../adapters/identity/signer-protocol.ts';
import { listenAsSigner } from '../adapters/identity/signer-socket.ts';
import { openSigningLedger } from '../adapters/signing-keys/signing-ledger.ts';
import { keysOfWriter, workerVerifier } from '../adapters/signing-keys/writer-keys.ts';
import { associatedAccount } from '../adapters/solana/associated-account.ts';
import { verifyEd25519 } from '../adapters/solana/ed25519.ts';
import { createSolanaRpc } from '../adapters/solana/rpc.ts';
import { loadListedTokens } from '../adapters/store/catalog/listed-token-store.ts';
import { openDatabase } from '../adapters/store/database.ts';
import { createSigningReads } from '../adapters/store/delegations/signing-reads.ts';
import { createRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { databaseClock } from '../adapters/store/simulated-time.ts';
import { CATALOG } from '../domain/catalog.ts';
import { ALL_ENABLED } from '../domain/risk/index.ts';
import type { SignerClient } from '../trading/ports.ts';
import { createSigning } from '../trading/signing-validation.ts';
import type { LogLevel } from './config.ts';
import { createLog } from './log.ts';

const DATABASE_CONNECTIONS = 4;
/** A node that answers later counts as silent: then nothing is signed. */
const NODE_MS = 3_000;
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
  const { key: given, appSecret } = keys ?? unsealed(SEALED);
  const key = keyOf(given, keyFile);
  if (typeof key === 'string') return tell({ ok: false, wrong: key });
  tell({ ok: true, publicKey: key.publicKey });
  const place = await nextLine<SignerPlace>();
  CATALOG.use(place.catalog);
  const log = createLog(logLevel as LogLevel);
  const sql = openDatabase({ url: place.databaseUrl, connections: DATABASE_CONNECTIONS, name: 'sevengate signer', readOnly: true });
  const clock = await databaseClock(sql);
  const remote = createRemoteSigner({ baseUrl: place.url, appId, appSecret, key, clock });
  let sign: SignerClient['sign'];
  try {
    sign = createSigning({
      reads: createSigningReads(sql, keysOfWriter(place.home, 'feed')),
      risk: createRiskReads(sql),
      // It signs on the primary chain alone, and is there because that is switched on.
      disabledVenues: () => ALL_ENABLED,
      remote,
      verifySignature: verifyEd25519,
      isSignedByWorker: workerVerifier(place.home),
      chain: createSolanaRpc({ url: place.rpcUrl, clock, timeoutMs: NODE_MS }),
      makers: new Set(place.makers),
      accountOf: associatedAccount,
      ledger: openSigningLedger(join(place.home, 'signer', 'signed.ndjson'), place.dailyLimitUsd),
      clock,
    });
  } catch (error) {
    return tell({ ok: false, wrong: (error as Error).message });
  }
  try {
    await listenAsSigner({
      path: place.socket,
      sign: async (orderId, signature) => {
        // Agent tokens are listed while the service runs.
        await loadListedTokens(sql, place.isSandboxed);
        const answer = await sign(orderId, signature);
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
