/** API keys of accounts at the simulated spot exchange. */
import { createHash } from 'node:crypto';
import type { ChainClient } from '../control.ts';

/** API key of the example organization's account. It is valid only in the sandbox. */
export const SANDBOX_EXCHANGE_KEY = { key: 'sandboxexchange', secret: 'ofNoUseAnywhereElse' };
export const SANDBOX_EXCHANGE_ACCOUNT = '1';

/** Prefix of further accounts' keys. The rest of a key determines the account and its secret. */
const FURTHER = 'sandboxexchange';

export interface SandboxAccount {
  readonly key: string;
  readonly secret: string;
  readonly account: string;
}

/** Returns the account of a name, the same every time. */
export function sandboxExchangeAccount(name: string): SandboxAccount {
  const hex = createHash('sha256').update(`account ${name}`).digest('hex').slice(0, 24);
  return createAccount(hex);
}

function createAccount(hex: string): SandboxAccount {
  const secret = createHash('sha256').update(`secret ${hex}`).digest('hex');
  return { key: FURTHER + hex, secret, account: String(2 + Number.parseInt(hex.slice(0, 12), 16)) };
}

/** Returns the further account of a key, or null for any other key. */
export function findFurtherAccount(key: string): SandboxAccount | null {
  const hex = key.startsWith(FURTHER) ? key.slice(FURTHER.length) : '';
  return /^[0-9a-f]{24}$/.test(hex) ? createAccount(hex) : null;
}

/** Operator verbs of the exchange: open an account. */
export const EXCHANGE_VERBS: ChainClient['verbs'] = {
  exchange_account: ({ name }) => {
    if (typeof name !== 'string' || name === '') throw new RangeError('name must say whose account it is, for example "second desk"');
    return sandboxExchangeAccount(name);
  },
};
