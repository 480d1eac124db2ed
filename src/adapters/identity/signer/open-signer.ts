/** Starts and supervises the signer process and sends it requests over its socket. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { Log } from '../../../../streams/log.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import { beginLife, sealed } from './process.ts';
import type { SignerKeys, SignerAddresses, SignerSecret, SignerClient, ExchangeSigner } from './protocol.ts';
import { signerAt } from './socket.ts';
import { superviseSigner } from './supervisor.ts';

export interface Signer {
  /** Public key for the remote signer, base64 SPKI; null if no swaps are signed. */
  readonly publicKey: string | null;
  /** Process id of the running process, or of the last one. */
  readonly pid: number;
  readonly client: SignerClient & ExchangeSigner;
  /** Sends the addresses. Before that, its client answers `unavailable`. @throws Error with one sentence */
  open(place: Pick<SignerAddresses, 'databaseUrl' | 'url' | 'rpcUrl' | 'makers'>): Promise<void>;
  stop(): Promise<void>;
}

interface SignerStart
  extends Pick<SignerAddresses, 'home' | 'isSandboxed' | 'dailyLimitUsd' | 'exchangeDailyLimitUsd'>,
    Pick<SignerSecret, 'keyFile' | 'appId' | 'logLevel'> {
  /** Path of the process's program. */
  readonly program: string;
  /** Secrets of the process. This process keeps none of them if the system supports memory files. */
  readonly keys: SignerKeys;
  /** Receives the public key before the first signing. */
  readonly onKey: (publicKey: string) => void;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Log;
}

/** Starts the signer. @throws Error with one sentence, without any part of the key, if the key is invalid */
export async function openSigner(start: SignerStart): Promise<Signer> {
  const { program, keys, keyFile, appId, logLevel, home, isSandboxed, dailyLimitUsd, exchangeDailyLimitUsd, clock, log } = start;
  const socket = join(home, 'signer', `${process.pid}.sock`);
  const kept = sealed(keys);
  const secret: SignerSecret = { keys: kept === null ? keys : null, keyFile, appId, logLevel };
  if (kept === null) log.warn({}, 'no /dev/shm on this machine: if the signer process ends, it is not restarted');
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
