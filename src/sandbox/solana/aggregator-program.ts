/**
 * Model of the aggregator's program, whose binary is not available: one route through the program's own accounts. The taker's input goes
 * into the route's account, each step swaps the previous step's output, and the last output goes to the taker.
 */

import { joined, readUint, writeUint } from '../../domain/launch/byte-struct.ts';
import { CURVE_INSTRUCTIONS } from '../../domain/launch/curve/instructions.ts';
import { type NamedAccount, type ProgramInstruction } from '../../domain/launch/curve/program.ts';
import { programAddress } from '../../domain/launch/program-address.ts';
import { AGGREGATOR_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from '../../domain/solana/programs.ts';
import { readMint, readTokenAccount } from '../../domain/solana/token-layout.ts';
import { type ModelContext, ProgramFailure } from './launch-programs/modelled-machine.ts';
import { transferTokens } from './launch-programs/native-instructions.ts';

/** Authority that signs swaps in the takers' place, so that their signature reaches no program behind the aggregator. */
export const ROUTE_AUTHORITY = programAddress(AGGREGATOR_PROGRAM, ['authority', Uint8Array.of(0)]).address;
const EVENT_AUTHORITY = programAddress(AGGREGATOR_PROGRAM, ['__event_authority']).address;
const SHARED_ACCOUNTS_ROUTE = Uint8Array.from(Buffer.from('c1209b3341d69c81', 'hex'));
const ERRORS = { slippage: 6001, invalidPlan: 6003, unknown: 101 } as const;
/** Number of accounts before those of the steps. */
const HEAD = 13;
/**
 * Bytes of a route step: a venue with two u64 numbers (Symmetry's variant), a share and two indices. Here the numbers are a market
 * maker's price, or zero for a venue swap, and the last index is the number of the step's accounts.
 */
const STEP_BYTES = 1 + 8 + 8 + 3;
const STEP_VENUE = 29;
const STEP_ACCOUNTS = STEP_BYTES - 1;
const TAIL_BYTES = 19;

/** Route step: a venue's instruction that swaps the available amount, or a trade at a market maker's price. */
export type RouteStep =
  | { readonly kind: 'venue'; readonly instruction: ProgramInstruction; readonly into: string }
  | {
      readonly kind: 'maker';
      readonly maker: string;
      readonly input: RouteSide;
      readonly output: RouteSide;
      /** Input amount of the step. */
      readonly given: bigint;
      readonly got: bigint;
    };

/** Token of one side of a market maker's price, with the maker's and the aggregator's accounts of it. */
interface RouteSide {
  readonly mint: string;
  readonly makerAccount: string;
  readonly routeAccount: string;
}

interface RouteOrder {
  readonly taker: string;
  readonly source: string;
  readonly destination: string;
  readonly inputMint: string;
  readonly outputMint: string;
  /** Route accounts of both tokens. */
  readonly routeSource: string;
  readonly routeDestination: string;
  readonly amount: bigint;
  readonly quoted: bigint;
  readonly slippageBps: number;
  readonly steps: readonly RouteStep[];
}

/** Returns a step's accounts: the route account that receives the output, the venue's program or the maker, and their accounts. */
function listAccounts(step: RouteStep): readonly NamedAccount[] {
  if (step.kind === 'venue')
    return [
      { address: step.into, writable: true },
      { address: step.instruction.program },
      ...step.instruction.accounts.map(({ address, writable = false }) => ({ address, writable })),
    ];
  const { maker, input, output } = step;
  return [
    { address: output.routeAccount, writable: true },
    { address: maker, signer: true },
    { address: input.mint },
    { address: input.makerAccount, writable: true },
    { address: input.routeAccount, writable: true },
    { address: output.mint },
    { address: output.makerAccount, writable: true },
  ];
}

function writePlan(steps: readonly RouteStep[]): Uint8Array {
  const plan = new Uint8Array(4 + steps.length * STEP_BYTES);
  writeUint(BigInt(steps.length), plan, 0, 4);
  for (const [index, step] of steps.entries()) {
    const at = 4 + index * STEP_BYTES;
    plan[at] = STEP_VENUE;
    if (step.kind === 'maker') {
      writeUint(step.given, plan, at + 1, 8);
      writeUint(step.got, plan, at + 9, 8);
    }
    plan[at + 17] = 100;
    plan[at + STEP_ACCOUNTS] = listAccounts(step).length;
  }
  return plan;
}

export function routeInstruction(order: RouteOrder): ProgramInstruction {
  const tail = new Uint8Array(TAIL_BYTES);
  writeUint(order.amount, tail, 0, 8);
  writeUint(order.quoted, tail, 8, 8);
  writeUint(BigInt(order.slippageBps), tail, 16, 2);
  return {
    program: AGGREGATOR_PROGRAM,
    accounts: [
      { address: TOKEN_PROGRAM },
      { address: ROUTE_AUTHORITY },
      { address: order.taker, signer: true },
      { address: order.source, writable: true },
      { address: order.routeSource, writable: true },
      { address: order.routeDestination, writable: true },
      { address: order.destination, writable: true },
      { address: order.inputMint },
      { address: order.outputMint },
      // The program's own address stands for no fee account.
      { address: AGGREGATOR_PROGRAM },
      { address: TOKEN_2022 },
      { address: EVENT_AUTHORITY },
      { address: AGGREGATOR_PROGRAM },
      ...order.steps.flatMap(listAccounts),
    ],
    data: joined(SHARED_ACCOUNTS_ROUTE, Uint8Array.of(0), writePlan(order.steps), tail),
  };
}

function held(context: ModelContext, at: string): bigint {
  const account = context.account(at);
  const tokens = account === null ? null : readTokenAccount(account.data as Uint8Array);
  if (tokens === null) throw new ProgramFailure('InvalidAccountData');
  return tokens.amount;
}

function pay(context: ModelContext, mint: string, from: string, to: string, authority: string, amount: bigint): void {
  const account = context.account(mint);
  const facts = account === null ? null : readMint(account.data as Uint8Array);
  if (account === null || facts === null) throw new ProgramFailure('InvalidAccountData');
  const { decimals } = facts;
  context.invoke(transferTokens({ program: account.programAddress, mint, decimals, from, to, authority, amount }));
}

type Accounts = ModelContext['accounts'];

/** Swaps the available amount at a venue, without a minimum output. */
function swapInVenue(context: ModelContext, [, program, ...accounts]: Accounts, amount: bigint): void {
  if (program === undefined) throw new ProgramFailure(ERRORS.invalidPlan);
  const amounts = new Uint8Array(17);
  writeUint(amount, amounts, 0, 8);
  // The aggregator signs for its own authority.
  const named = accounts.map(({ address, writable }) => ({ address, writable, signer: address === ROUTE_AUTHORITY }));
  context.invoke({ program: program.address, accounts: named, data: joined(CURVE_INSTRUCTIONS.swap2, amounts) });
}

/** Sells the available amount to a market maker at the price that the maker signed. */
function swapWithMaker(context: ModelContext, accounts: Accounts, amount: bigint, given: bigint, got: bigint): void {
  const [into, maker, inMint, makerIn, routeIn, outMint, makerOut] = accounts.map(({ address }) => address) as string[];
  if (accounts[1]?.signer !== true) throw new ProgramFailure(ERRORS.invalidPlan);
  pay(context, inMint as string, routeIn as string, makerIn as string, ROUTE_AUTHORITY, amount);
  pay(context, outMint as string, makerOut as string, into as string, maker as string, (amount * got) / given);
}

/** Executes a route, or fails with the program's own error. */
export function aggregatorProgram(context: ModelContext): void {
  const { data, accounts } = context;
  if (!SHARED_ACCOUNTS_ROUTE.every((byte, at) => data[at] === byte)) throw new ProgramFailure(ERRORS.unknown);
  context.log('Instruction: SharedAccountsRoute');
  const address = (place: number): string => accounts[place]?.address as string;
  if (accounts.length < HEAD || address(1) !== ROUTE_AUTHORITY) throw new ProgramFailure(6008);
  if (accounts[2]?.signer !== true) throw new ProgramFailure('MissingRequiredSignature');
  const tail = data.length - TAIL_BYTES;
  const [amount, quoted, slippageBps] = [readUint(data, tail, 8), readUint(data, tail + 8, 8), readUint(data, tail + 16, 2)];
  pay(context, address(7), address(3), address(4), address(2), amount);
  let [inHand, from] = [amount, HEAD];
  const steps = Number(readUint(data, 9, 4));
  for (let index = 0; index < steps; index++) {
    const at = 13 + index * STEP_BYTES;
    const named = accounts.slice(from, from + (data[at + STEP_ACCOUNTS] as number));
    from += named.length;
    const into = named[0]?.address ?? '';
    const before = held(context, into);
    const [given, got] = [readUint(data, at + 1, 8), readUint(data, at + 9, 8)];
    if (given === 0n) swapInVenue(context, named, inHand);
    else swapWithMaker(context, named, inHand, given, got);
    inHand = held(context, into) - before;
  }
  if (inHand < (quoted * (10_000n - slippageBps)) / 10_000n) throw new ProgramFailure(ERRORS.slippage);
  pay(context, address(8), address(5), address(6), ROUTE_AUTHORITY, inHand);
}
