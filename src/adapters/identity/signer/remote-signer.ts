/**
 * Client of the identity provider's signing API: requests the signature of one transaction of a delegated wallet and broadcasts nothing.
 * See docs/reference/outside/remote-signer.md.
 */

import type { Clock } from '../../../../streams/clock/clock.ts';
import { fromBase64 } from '../../../domain/solana/verify.ts';
import type { AuthorizationKey } from '../authorization-signature.ts';
import { bodyWithin } from '../bounded-body.ts';

const ANSWER_MS = 3_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Answer of the remote signer. */
type RemoteAnswer =
  /** Unverified signature, which the caller compares with its request. */
  | { readonly outcome: 'signed'; readonly signed: Uint8Array }
  | {
      readonly outcome: 'refused';
      readonly code: 'signer_unauthorized' | 'signer_delegation_missing' | 'signer_refused';
      readonly detail: string;
    }
  /** `reason`: `timeout`, `unreachable`, `too_large`, `http_<status>` or `malformed`. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly detail: string };

/** Signing API of the identity provider. */
export type RemoteSigner = ReturnType<typeof createRemoteSigner>;

interface RemoteSignerOptions {
  /** `https://api.privy.io` */
  readonly baseUrl: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly key: AuthorizationKey;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
}

/** Creates the client of one host. Follows no redirect; neither request nor answer appears in a log or an error. */
export function createRemoteSigner(options: RemoteSignerOptions) {
  const base = options.baseUrl.replace(/\/+$/, '');
  const basic = `Basic ${Buffer.from(`${options.appId}:${options.appSecret}`).toString('base64')}`;

  async function post(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string } | Extract<RemoteAnswer, { outcome: 'unavailable' }>> {
    const giveUp = new AbortController();
    const stop = options.clock.deadline(options.clock.now() + ANSWER_MS, () => giveUp.abort());
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        signal: giveUp.signal,
        headers: { ...headers, authorization: basic, 'content-type': 'application/json', accept: 'application/json' },
        body,
      });
      const text = await bodyWithin(response, MAX_ANSWER_BYTES);
      return text === null ? away('too_large', 'its answer is too long') : { status: response.status, text };
    } catch {
      // The error's own message may repeat the request.
      return giveUp.signal.aborted ? away('timeout', 'it did not answer in time') : away('unreachable', 'it could not be reached');
    } finally {
      stop();
    }
  }

  return {
    /** Requests a signature. @param unsigned The whole wire transaction. */
    async signTransaction(wallet: string, unsigned: Uint8Array, idempotencyKey: string): Promise<RemoteAnswer> {
      const url = `${base}/v1/wallets/${encodeURIComponent(wallet)}/rpc`;
      const body = {
        method: 'signTransaction',
        chain_type: 'solana',
        params: { transaction: Buffer.from(unsigned).toString('base64'), encoding: 'base64' },
      };
      const headers = { 'privy-app-id': options.appId, 'privy-idempotency-key': idempotencyKey };
      const signature = options.key.signature({ method: 'POST', url, body, headers });
      const answer = await post(url, JSON.stringify(body), { ...headers, 'privy-authorization-signature': signature });
      return 'outcome' in answer ? answer : readAnswer(answer);
    },
  };
}

function away(reason: string, what: string): Extract<RemoteAnswer, { outcome: 'unavailable' }> {
  return { outcome: 'unavailable', reason, detail: `the remote signer: ${what}` };
}

function readAnswer({ status, text }: { readonly status: number; readonly text: string }): RemoteAnswer {
  if (status === 200) {
    const signed = readSigned(text);
    return signed === null
      ? { outcome: 'unavailable', reason: 'malformed', detail: 'the answer of the remote signer is not a signed transaction' }
      : { outcome: 'signed', signed };
  }
  if (status === 401)
    return {
      outcome: 'refused',
      code: 'signer_unauthorized',
      detail:
        'the remote signer does not take the credentials or the authorization key (401): check IDP_APP_ID, IDP_APP_SECRET and the key registered there',
    };
  if (status === 403)
    return {
      outcome: 'refused',
      code: 'signer_delegation_missing',
      detail: 'the remote signer holds no delegation of this wallet to the service (403): its owner has to add the session signer there',
    };
  if (status === 429 || status >= 500)
    return { outcome: 'unavailable', reason: `http_${status}`, detail: `the remote signer answered ${status}` };
  return {
    outcome: 'refused',
    code: 'signer_refused',
    detail: `the remote signer refused (${status}): a policy of the wallet may forbid it`,
  };
}

/** Returns the signed bytes of a well-formed answer, else null. */
function readSigned(text: string): Uint8Array | null {
  try {
    const { method, data } = JSON.parse(text) as { method?: unknown; data?: { signed_transaction?: unknown; encoding?: unknown } };
    if (method !== 'signTransaction' || data?.encoding !== 'base64' || typeof data.signed_transaction !== 'string') return null;
    return fromBase64(data.signed_transaction);
  } catch {
    return null;
  }
}
