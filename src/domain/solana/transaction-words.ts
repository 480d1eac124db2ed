/**
 * Describes a primary-chain transaction for its signer, one sentence per instruction. Unknown instructions are called unknown. Amounts are
 * raw units if the bytes do not state the decimals. Pages load this file too, so it must not use Node.
 */
import { readUint } from '../launch/byte-struct.ts';
import { CURVE_INSTRUCTIONS, LOCKER_CLAIM } from '../launch/curve/instructions.ts';
import { computeLeast, type RouteAccount, readRoute } from './aggregator-routes.ts';
import { base58 } from './base58.ts';
import { listAccounts, type WireMessage } from './message.ts';
import {
  AGGREGATOR_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  CURVE_PROGRAM,
  LOCKER_PROGRAM,
  MEMO_PROGRAM,
  namedProgram,
  programWords,
  SYSTEM_PROGRAM,
  TOKEN_2022,
  TOKEN_PROGRAM,
} from './programs.ts';

const LAMPORT_DECIMALS = 9;
const EVERYTHING = 2n ** 64n - 1n;

/** An instruction's data and accounts. Reading a missing part throws `Cut`. */
interface Call {
  readonly data: Uint8Array;
  /** Reads a little-endian number of the given length. */
  uint(at: number, length: number): bigint;
  key(at: number): string;
  /** Returns the address at an index. */
  account(place: number): string;
}

/** Thrown if an instruction is too short. */
class Cut extends Error {}

/** Describes an instruction, or returns null if it is unknown. */
type Reader = (call: Call) => string | null;

/** Returns one sentence per instruction, in order. */
export function describeInstructions(message: Pick<WireMessage, 'staticKeys' | 'instructions' | 'lookups'>): readonly string[] {
  const names = listAccounts(message);
  return message.instructions.map(({ program, accounts, data }) => {
    const call = readCall(
      data,
      accounts.map((place) => names[place] ?? ''),
    );
    return known(program, call) ?? unknown(program, accounts.length, data.length);
  });
}

function known(program: string, call: Call): string | null {
  try {
    return READERS[program]?.(call) ?? null;
  } catch (error) {
    if (error instanceof Cut) return null;
    throw error;
  }
}

function unknown(program: string, accounts: number, bytes: number): string {
  return `Calls ${programWords(namedProgram(program))} with ${accounts} accounts and ${bytes} bytes of data. Its effect is unknown.`;
}

function readCall(data: Uint8Array, accounts: readonly string[]): Call {
  const within = (at: number, length: number): void => {
    if (at + length > data.length) throw new Cut();
  };
  return {
    data,
    uint(at, length) {
      within(at, length);
      return readUint(data, at, length);
    },
    key(at) {
      within(at, 32);
      return base58(data.subarray(at, at + 32));
    },
    account(place) {
      const address = accounts[place];
      if (address === undefined) throw new Cut();
      return address;
    },
  };
}

/** Formats an amount in smallest units as `1,234.5`, exactly. */
function amountText(raw: bigint, decimals = 0): string {
  const digits = raw.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return decimals === 0 || rest === '' ? whole : `${whole}.${rest}`;
}

const coins = (lamports: bigint): string => `${amountText(lamports, LAMPORT_DECIMALS)} SOL`;
const units = (raw: bigint): string => (raw === EVERYTHING ? 'all raw units' : `${amountText(raw)} raw units`);

const system: Reader = ({ uint, key, account }) => {
  const tag = uint(0, 4);
  if (tag === 0n) return `Creates the account ${account(1)} for the program ${key(20)}. ${account(0)} pays ${coins(uint(4, 8))} into it.`;
  if (tag === 1n) return `Makes the program ${key(4)} the owner of the account ${account(0)}.`;
  if (tag === 2n) return `Pays ${coins(uint(4, 8))} from ${account(0)} to ${account(1)}.`;
  return null;
};

const budget: Reader = ({ uint }) => {
  const tag = uint(0, 1);
  if (tag === 2n) return `Uses at most ${amountText(uint(1, 4))} compute units.`;
  if (tag === 3n) return `Pays a priority fee of ${amountText(uint(1, 8))} micro-lamports for each compute unit.`;
  return null;
};

const openAccount: Reader = ({ data, account }) => {
  const tag = data[0] ?? 0;
  if (tag > 1) return null;
  const where = tag === 1 ? ' if it does not exist' : '';
  return `Creates the token account ${account(1)} of ${account(2)} for the mint ${account(3)}${where}. ${account(0)} pays its rent.`;
};

const token: Reader = ({ uint, key, account }) => {
  const tag = Number(uint(0, 1));
  switch (tag) {
    case 3:
      return `Moves ${units(uint(1, 8))} from the token account ${account(0)} to ${account(1)}, authorized by ${account(2)}.`;
    case 12: {
      const amount = amountText(uint(1, 8), Number(uint(9, 1)));
      return `Moves ${amount} of the mint ${account(1)} from the token account ${account(0)} to ${account(2)}, authorized by ${account(3)}.`;
    }
    case 4:
      return `Allows ${account(1)} to spend up to ${units(uint(1, 8))} from the token account ${account(0)}.`;
    case 13:
      return `Allows ${account(2)} to spend up to ${amountText(uint(1, 8), Number(uint(9, 1)))} of the mint ${account(1)} from the token account ${account(0)}.`;
    case 5:
      return `Revokes every allowance to spend from the token account ${account(0)}.`;
    case 6:
      return `Transfers an authority of the account ${account(0)} to ${uint(2, 1) === 1n ? key(3) : 'nobody'}.`;
    case 9:
      return `Closes the token account ${account(0)}. Its remaining SOL goes to ${account(1)}.`;
    case 17:
      return `Wraps the SOL of the token account ${account(0)}.`;
    default:
      return null;
  }
};

const token2022: Reader = (call) => {
  const { data, uint, account } = call;
  if (data[0] !== 26 || data[1] !== 1) return token(call);
  const decimals = Number(uint(10, 1));
  const [amount, fee] = [amountText(uint(2, 8), decimals), amountText(uint(11, 8), decimals)];
  return `Moves ${amount} of the mint ${account(1)} from the token account ${account(0)} to ${account(2)}, less a transfer fee of ${fee}.`;
};

const memo: Reader = ({ data }) => `Writes the memo “${new TextDecoder().decode(data)}” to the chain.`;

/** Reads three length-prefixed texts. */
function textsAfter({ data, uint }: Call, from: number): readonly [string, string, string] {
  let at = from;
  const next = (): string => {
    const length = Number(uint(at, 4));
    if (at + 4 + length > data.length) throw new Cut();
    const text = new TextDecoder().decode(data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
    return text;
  };
  return [next(), next(), next()];
}

function curveSwap({ uint, account }: Call, mode: bigint): string | null {
  const [amount, bound] = [units(uint(8, 8)), units(uint(16, 8))];
  const [curve, input, output] = [account(2), account(3), account(4)];
  if (mode === 0n) return `Trades on the curve ${curve}: pays exactly ${amount} from ${input} and receives at least ${bound} in ${output}.`;
  if (mode === 1n) return `Trades on the curve ${curve}: pays at most ${amount} from ${input} and receives at least ${bound} in ${output}.`;
  if (mode === 2n) return `Trades on the curve ${curve}: receives exactly ${amount} in ${output} and pays at most ${bound} from ${input}.`;
  return null;
}

/** Readers by their first eight bytes. */
const CURVE_READERS: readonly (readonly [discriminator: Uint8Array, Reader])[] = [
  [
    CURVE_INSTRUCTIONS.createConfig,
    ({ account }) =>
      `Creates the configuration ${account(0)} of a curve quoted in ${account(3)}. The partner's fees go to ${account(1)}, leftover tokens to ${account(2)}.`,
  ],
  [
    CURVE_INSTRUCTIONS.initializePool,
    (call) => {
      const [name, symbol, uri] = textsAfter(call, 8);
      const { account } = call;
      return `Creates the token “${name}” (${symbol}) with the mint ${account(3)} and the curve ${account(5)}, quoted in ${account(4)}. Its creator is ${account(2)}, its metadata is at ${uri}.`;
    },
  ],
  [CURVE_INSTRUCTIONS.swap, (call) => curveSwap(call, 0n)],
  [CURVE_INSTRUCTIONS.swap2, (call) => curveSwap(call, call.uint(24, 1))],
  [
    CURVE_INSTRUCTIONS.claimCreatorFee,
    ({ uint, account }) =>
      `Pays the creator's trading fees of the curve ${account(1)} to ${account(8)}: at most ${units(uint(8, 8))} of the token into ${account(2)} and ${units(uint(16, 8))} of the quote token into ${account(3)}.`,
  ],
  [
    CURVE_INSTRUCTIONS.claimPartnerFee,
    ({ uint, account }) =>
      `Pays the partner's trading fees of the curve ${account(2)} to ${account(9)}: at most ${units(uint(8, 8))} of the token into ${account(3)} and ${units(uint(16, 8))} of the quote token into ${account(4)}.`,
  ],
  [CURVE_INSTRUCTIONS.creatorSurplus, ({ account }) => withdrawal("creator's part of the surplus", account)],
  [CURVE_INSTRUCTIONS.partnerSurplus, ({ account }) => withdrawal("partner's part of the surplus", account)],
  [
    CURVE_INSTRUCTIONS.migrationFee,
    ({ uint, account }) => withdrawal(`${uint(8, 1) === 1n ? 'creator' : 'partner'}'s part of the migration fee`, account),
  ],
];

function withdrawal(what: string, account: Call['account']): string {
  return `Pays the ${what} of the curve ${account(2)} to ${account(6)}, into ${account(3)}.`;
}

const begins = (data: Uint8Array, discriminator: Uint8Array): boolean => discriminator.every((byte, at) => data[at] === byte);

const curve: Reader = (call) => CURVE_READERS.find(([discriminator]) => begins(call.data, discriminator))?.[1](call) ?? null;

const locker: Reader = ({ data, uint, account }) =>
  begins(data, LOCKER_CLAIM)
    ? `Pays the unlocked tokens of the locker ${account(0)} to ${account(2)}, into ${account(3)}: at most ${units(uint(8, 8))}.`
    : null;

const aggregator: Reader = ({ data, account }) => {
  const route = readRoute(data);
  if (route === null || route.kind !== 'exactIn' || route.slippage > 10_000n) return null;
  const named = (one: RouteAccount): string => account(route.accounts.indexOf(one));
  const fee = route.platformFee === 0n ? '' : ` A fee of ${amountText(route.platformFee, 2)} % goes to ${named('platformFee')}.`;
  return `Swaps through the aggregator for ${named('user')}: pays exactly ${units(route.given)} from ${named('source')} and receives at least ${units(computeLeast(route))} in ${named('destination')}.${fee}`;
};

const READERS: Readonly<Record<string, Reader>> = {
  [SYSTEM_PROGRAM]: system,
  [COMPUTE_BUDGET_PROGRAM]: budget,
  [ASSOCIATED_TOKEN_PROGRAM]: openAccount,
  [TOKEN_PROGRAM]: token,
  [TOKEN_2022]: token2022,
  [MEMO_PROGRAM]: memo,
  [CURVE_PROGRAM]: curve,
  [LOCKER_PROGRAM]: locker,
  [AGGREGATOR_PROGRAM]: aggregator,
};
