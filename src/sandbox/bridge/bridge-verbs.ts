/** Operator controls of the EVM chain and the bridge providers. */
import { isAddress } from 'viem';
import type { EvmIntake, EvmLedger } from '../evmchain/evm-ledger.ts';
import type { BridgeScript } from './bridge-script.ts';

type Body = Readonly<Record<string, unknown>>;

const INTAKES: readonly EvmIntake[] = ['land', 'lose', 'keep'];

/**
 * Adds verbs to `/chain/<verb>`.
 * @throws RangeError from a verb, with a message for the operator, if its input is invalid; nothing has changed then
 */
export function bridgeVerbs(
  ledger: EvmLedger,
  token: string,
  scripts: Readonly<Record<string, BridgeScript>>,
): Readonly<Record<string, (body: Body) => unknown>> {
  function readScript(provider: unknown): BridgeScript {
    const script = typeof provider === 'string' && Object.hasOwn(scripts, provider) ? scripts[provider] : undefined;
    if (script === undefined)
      throw new RangeError(`provider must be one of ${Object.keys(scripts).join(', ')}, not ${JSON.stringify(provider)}`);
    return script;
  }
  return {
    evm_fund: ({ owner, amount }) => {
      if (typeof owner !== 'string' || !isAddress(owner, { strict: false }))
        throw new RangeError(`owner must be an EVM address, not ${JSON.stringify(owner)}`);
      if (typeof amount !== 'string' || !/^[1-9]\d{0,19}$/.test(amount))
        throw new RangeError(`amount must be a whole number of base units as text, such as "5000000", not ${JSON.stringify(amount)}`);
      ledger.setBalance(owner, token, ledger.balance(owner, token) + BigInt(amount));
      return { balance: String(ledger.balance(owner, token)) };
    },
    evm_drop: ({ hash }) => ({ dropped: ledger.drop(String(hash)) }),
    evm_intake: ({ way }) => {
      const found = INTAKES.find((one) => one === way);
      if (found === undefined) throw new RangeError(`way must be one of ${INTAKES.join(', ')}, not ${JSON.stringify(way)}`);
      ledger.intake(found);
      return {};
    },
    evm_land: () => ({ landed: ledger.landKept() }),
    evm_hold: ({ held }) => {
      if (typeof held !== 'boolean') throw new RangeError(`held must be true or false, not ${JSON.stringify(held)}`);
      ledger.holdFinality(held);
      return {};
    },
    bridge_trouble: ({ provider, how }) => {
      if (how !== null && typeof how !== 'string') throw new RangeError(`how must be a text or null, not ${JSON.stringify(how)}`);
      readScript(provider).trouble(how);
      return {};
    },
    bridge_release: ({ provider }) => {
      readScript(provider).release();
      return {};
    },
  };
}
