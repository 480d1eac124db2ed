/**
 * Chain controls of the sandbox's operator: fund wallets, sign for members, complete a curve, advance slots, hold back, fork, lose and
 * expire transactions.
 */
import type { Cheat } from '../spotchain/swap-builder.ts';
import type { Intake, SolanaChain } from './chain.ts';
import { fund } from './genesis.ts';
import { COMMITMENTS } from './slot-clock.ts';
import { buyOut, sandboxWallet, signedByWallet, textSignedByWallet } from './sandbox-wallet.ts';

type Body = Readonly<Record<string, unknown>>;

interface ChainControl {
  cheat(how: Cheat | null): void;
}

const INTAKES: readonly Intake[] = ['land', 'lose', 'keep'];
const HOLDS = ['processed', 'confirmed', null] as const;
const CHEATS: readonly (Cheat | null)[] = ['other_recipient', 'half_output', 'takes_all', null];

/**
 * Creates the verbs of `/chain/<verb>`. Each takes a JSON object, changes the chain and returns the result.
 * @throws RangeError from a verb, with a message for the operator, if its input is invalid; nothing has changed then
 */
export function chainVerbs(chain: SolanaChain, handler: ChainControl): Readonly<Record<string, (body: Body) => unknown>> {
  return {
    fund: ({ owner, mint, amount }) => ({ signature: fund(chain, readText(owner, 'owner'), readText(mint, 'mint'), readUnits(amount)) }),
    advance: ({ slots }) => {
      if (typeof slots !== 'number') throw new RangeError(`slots must be a whole number, not ${JSON.stringify(slots)}`);
      chain.advance(slots);
      return {};
    },
    hold: ({ at }) => {
      chain.hold(readChoice(at, HOLDS, 'at'));
      return {};
    },
    finalize: () => {
      chain.finalize();
      return {};
    },
    expire: () => {
      chain.expireBlockhashes();
      return {};
    },
    drop: ({ signature }) => ({ dropped: chain.drop(readText(signature, 'signature')) }),
    intake: ({ way }) => {
      chain.intake(readChoice(way, INTAKES, 'way'));
      return {};
    },
    land: () => ({ landed: chain.landKept() }),
    height: ({ by }) => {
      chain.misreportHeight(typeof by === 'number' ? by : Number.NaN);
      return {};
    },
    wallet: ({ name }) => ({ address: sandboxWallet(readText(name, 'name')).address }),
    sign: ({ name, transaction }) => ({
      transaction: signedByWallet(sandboxWallet(readText(name, 'name')), readText(transaction, 'transaction')),
    }),
    sign_text: ({ name, text }) => ({ signature: textSignedByWallet(sandboxWallet(readText(name, 'name')), readText(text, 'text')) }),
    buy_out: ({ mint }) => ({ signature: buyOut(chain, readText(mint, 'mint')) }),
    cheat: ({ how }) => {
      handler.cheat(readChoice(how, CHEATS, 'how'));
      return {};
    },
  };
}

/** Returns the chain's status by commitment. */
export function chainStatus(chain: SolanaChain): object {
  return {
    slots: Object.fromEntries(COMMITMENTS.map((commitment) => [commitment, chain.slot(commitment)])),
    blockHeights: Object.fromEntries(COMMITMENTS.map((commitment) => [commitment, chain.blockHeight(commitment)])),
  };
}

function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new RangeError(`${name} must be a text, not ${JSON.stringify(value)}`);
  return value;
}

function readUnits(value: unknown): bigint {
  if (typeof value !== 'string' || !/^[1-9]\d{0,19}$/.test(value))
    throw new RangeError(`amount must be a whole number of base units as text, such as "5000000", not ${JSON.stringify(value)}`);
  return BigInt(value);
}

function readChoice<Value>(value: unknown, allowed: readonly Value[], name: string): Value {
  const found = allowed.find((one) => one === value);
  if (found === undefined)
    throw new RangeError(`${name} must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}, not ${JSON.stringify(value)}`);
  return found;
}
