/** The signer process as the service holds it: launched with the key, followed from life to life, and asked over its socket. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../streams/clock.ts';
import type { Log } from '../../../../streams/log.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import type { ExchangeSigner, SignerClient } from '../../../trading/ports.ts';
import { beginLife, sealed } from './process.ts';
import type { SignerKeys, SignerAddresses, SignerSecret } from './protocol.ts';
import { signerAt } from './socket.ts';
import { superviseSigner } from './supervisor.ts';

export interface Signer {
  /** Public key for the remote signer; SPKI, base64. Null if no swaps are signed. */
  readonly publicKey: string | null;
  /** Process id of the present process, or of the last one. */
  readonly pid: number;
  readonly client: SignerClient & ExchangeSigner;
  /** Tells it where to listen and what to read. Before that its client answers `unavailable`. @throws Error in one sentence. */
  open(place: Pick<SignerAddresses, 'databaseUrl' | 'url' | 'rpcUrl' | 'makers'>): Promise<void>;
  stop(): Promise<void>;
}

export interface SignerStart
  extends Pick<SignerAddresses, 'home' | 'isSandboxed' | 'dailyLimitUsd' | 'exchangeDailyLimitUsd'>,
    Pick<SignerSecret, 'keyFile' | 'appId' | 'logLevel'> {
  /** Program of the process. */
  readonly program: string;
  /** Sealed for the process; this one keeps none of them where the system has files of memory. */
  readonly keys: SignerKeys;
  /** Receives the public key before anything is signed. */
  readonly onKey: (publicKey: string) => void;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Log;
}

/** Starts the signer. @throws Error in one sentence, without a character of the key, if the key is invalid. */
export async function openSigner(start: SignerStart): Promise<Signer> {
  const { program, keys, keyFile, appId, logLevel, home, isSandboxed, dailyLimitUsd, exchangeDailyLimitUsd, clock, log } = start;
  const socket = join(home, 'signer', `${process.pid}.sock`);
  const kept = sealed(keys);
  const secret: SignerSecret = { keys: kept === null ? keys : null, keyFile, appId, logLevel };
  if (kept === null) log.warn({}, 'there are no files of memory here (/dev/shm): if the signer process ends, it is not restarted');
  const first = beginLife(program, clock, kept);
  try {
    const publicKey = await first.tell(secret);
    if (publicKey !== null) {
      start.onKey(publicKey);
      log.info({ publicKey }, 'delegated signing is on: register this public key with the identity provider');
    }
    const begin = kept === null ? null : () => beginLife(program, clock, kept);
    const supervised = superviseSigner({ first, begin, secret, publicKey, clock, log });
    const client = signerAt(socket, clock);
    return {
      publicKey,
      get pid() {
        return supervised.pid;
      },
      client: {
        sign: async (orderId, signature) => supervised.refusal() ?? client.sign(orderId, signature),
        signRequest: async (request, signature) => supervised.refusal() ?? client.signRequest(request, signature),
      },
      open: (place) =>
        supervised.open({ ...place, socket, home, isSandboxed, dailyLimitUsd, exchangeDailyLimitUsd, catalog: CATALOG.source }),
      async stop() {
        await supervised.stop();
        kept?.close();
        rmSync(socket, { force: true });
      },
    };
  } catch (error) {
    await first.stop();
    kept?.close();
    throw error;
  }
}
