/**
 * Main program of the signer process. It reads two lines from standard input: the key's location and the listening address. On a private
 * socket it accepts ids of prepared transactions and requests to the spot exchange, each signed by the worker. It ends with its parent.
 */
import { createInterface } from 'node:readline';
import { errorText } from '../../../domain/values/value-text.ts';
import { readNamedFile } from '../../named-file.ts';
import { createLog } from '../../log/log.ts';
import type { LogLevel } from '../../log/log-levels.ts';
import { type AuthorizationKey, authorizationKey } from '../authorization-signature.ts';
import { unsealed } from './process.ts';
import type { SignerAddresses, SignerSecret, SignerTold, SignerClient, ExchangeSigner } from './protocol.ts';
import { listenAsSigner } from './socket.ts';

/** File descriptor of the sealed secrets, after the three standard ones. */
const SEALED = 3;

/** Credentials for the remote signer. */
export interface SignerCredentials {
  readonly appId: string;
  readonly appSecret: string;
  readonly key: AuthorizationKey;
}

/**
 * Runs the process. `open` creates the signer once all addresses are known; credentials are null if no swaps are signed. Errors of `open`
 * are reported to the parent and not thrown.
 */
export async function runSigner(
  open: (place: SignerAddresses, credentials: SignerCredentials | null) => Promise<SignerClient & ExchangeSigner>,
): Promise<void> {
  // Ignore the signal that opens the debugger's port, and signals that a terminal sends to the whole group: the process ends with its
  // parent.
  for (const signal of ['SIGUSR1', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.stdin.on('close', () => process.exit(0));
  const nextLine = toldLines();
  const { keys, keyFile, appId, logLevel } = (await nextLine()) as SignerSecret;
  const { key: given, appSecret } = keys ?? unsealed(SEALED);
  const key = given === null && keyFile === null ? null : readKey(given, keyFile);
  if (typeof key === 'string') return tell({ ok: false, wrong: key });
  const publicKey = key?.publicKey ?? null;
  tell({ ok: true, publicKey });
  const place = (await nextLine()) as SignerAddresses;
  const log = createLog(logLevel as LogLevel);
  try {
    const { sign, signRequest } = await open(place, key === null ? null : { appId, appSecret, key });
    await listenAsSigner({
      path: place.socket,
      sign: async (orderId, signature) => {
        const answer = await sign(orderId, signature);
        log.info({ orderId, outcome: answer.outcome, ...(answer.outcome === 'refused' ? { code: answer.code } : {}) }, 'asked to sign');
        return answer;
      },
      signRequest: async (request, signature) => {
        const answer = await signRequest(request, signature);
        const refused = answer.outcome === 'refused' ? { code: answer.code } : {};
        log.info({ orgId: request.orgId, ask: request.ask.kind, outcome: answer.outcome, ...refused }, 'exchange signing request');
        return answer;
      },
      onError: (error) => log.error({ err: error }, 'the signer'),
    });
  } catch (error) {
    return tell({ ok: false, wrong: (error as Error).message });
  }
  tell({ ok: true, publicKey });
}

const tell = (told: SignerTold): void => void process.stdout.write(`${JSON.stringify(told)}\n`);

/** Reads standard input line by line; the process ends when it closes. */
function toldLines(): () => Promise<unknown> {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    if (done === true) process.exit(0);
    return JSON.parse(value) as unknown;
  };
}

/** Returns the key, or a sentence if it is missing. Never repeats the input. */
function readKey(key: string | null, keyFile: string | null): AuthorizationKey | string {
  if (keyFile === null) return authorizationKey(key ?? '') ?? 'IDP_AUTHORIZATION_PRIVATE_KEY: is no P-256 private key';
  let text: string;
  try {
    text = readNamedFile(keyFile);
  } catch (error) {
    return `IDP_AUTHORIZATION_PRIVATE_KEY_FILE: ${errorText(error)}`;
  }
  return (
    authorizationKey(text) ??
    `IDP_AUTHORIZATION_PRIVATE_KEY_FILE: ${keyFile} holds no P-256 private key: it should be PEM or base64 PKCS #8, with or without the prefix wallet-auth:`
  );
}
