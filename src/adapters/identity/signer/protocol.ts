/** Protocol of the signer process: its input lines and its answers. */

import type { CatalogSource } from '../../../domain/catalog/catalog.ts';

/** Secrets that only the signer process may hold. `key` is null if it is in a file, or if no swaps are signed. */
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
  /** One of the levels of the service's log. */
  readonly logLevel: string;
}

/** The second line, once the database is there. */
export interface SignerAddresses {
  readonly databaseUrl: string;
  /** Remote signer and node of the primary chain; null if no swaps are signed. */
  readonly url: string | null;
  readonly socket: string;
  /** The state folder: the public keys of writers lie there, and the count of what was signed. */
  readonly home: string;
  readonly rpcUrl: string | null;
  /** Others that may sign with a wallet. */
  readonly makers: readonly string[];
  /** The most that is signed for within 24 hours, in US dollars. */
  readonly dailyLimitUsd: string;
  /** The most that one organization may buy for at the spot exchange within 24 hours, in US dollars. */
  readonly exchangeDailyLimitUsd: string;
  readonly isSandboxed: boolean;
  /** Source of the service's catalog, so that the signer signs for the same mints. */
  readonly catalog: CatalogSource;
}

/** Answer to either line, as a line on standard output. `publicKey` is null if no swaps are signed. */
export type SignerTold = { readonly ok: true; readonly publicKey: string | null } | { readonly ok: false; readonly wrong: string };
