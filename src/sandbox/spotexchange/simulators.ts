/** The spot exchange in the sandbox, and the keys that it gives out. */
import { createHash } from 'node:crypto';
import type { ChainClient } from '../control.ts';
import type { Simulators } from '../simulator-entry.ts';

/** The account of the example organization. Of no use anywhere else. */
export const SANDBOX_EXCHANGE_KEY = { key: 'sandboxexchange', secret: 'ofNoUseAnywhereElse' };
export const SANDBOX_EXCHANGE_ACCOUNT = '1';

/** Keys of further accounts begin so; which account it is, and its secret, follow from the rest. */
const FURTHER = 'sandboxexchange';

export interface SandboxAccount {
  readonly key: string;
  readonly secret: string;
  readonly account: string;
}

/** The account of this name, always the same one: any number of them may trade here. */
export function sandboxExchangeAccount(name: string): SandboxAccount {
  const hex = createHash('sha256').update(`account ${name}`).digest('hex').slice(0, 24);
  return accountOf(hex);
}

function accountOf(hex: string): SandboxAccount {
  const secret = createHash('sha256').update(`secret ${hex}`).digest('hex');
  return { key: FURTHER + hex, secret, account: String(2 + Number.parseInt(hex.slice(0, 12), 16)) };
}

/** The further account that a key belongs to; null of every other key. */
export function furtherAccountOf(key: string): SandboxAccount | null {
  const hex = key.startsWith(FURTHER) ? key.slice(FURTHER.length) : '';
  return /^[0-9a-f]{24}$/.test(hex) ? accountOf(hex) : null;
}

/** Control verbs of the exchange for the sandbox's operator: open an account. */
export const EXCHANGE_VERBS: ChainClient['verbs'] = {
  exchange_account: ({ name }) => {
    if (typeof name !== 'string' || name === '') throw new RangeError('name must say whose account it is, for example "second desk"');
    return sandboxExchangeAccount(name);
  },
};

export const SPOTEXCHANGE_SIMULATORS = {
  spotexchange: {
    place: 0,
    async start({ market }, at) {
      const { createSpotExchangeSimulator } = await import('./simulator.ts');
      return createSpotExchangeSimulator({ market, keys: [SANDBOX_EXCHANGE_KEY], accountOfKey: furtherAccountOf, ...at });
    },
  },
} satisfies Simulators;
