/** Simulator of the primary chain's node on loopback: JSON-RPC and subscriptions over a real virtual machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAddress } from '@solana/kit';
import type { Clock } from '../../../streams/clock/clock.ts';
import { AGGREGATOR_PROGRAM } from '../../domain/solana/programs.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, type LoopbackServer, listenOnLoopback } from '../loopback.ts';
import { aggregatorProgram } from './aggregator-program.ts';
import { createSolanaChain, type SolanaChain } from './chain.ts';
import { DEPOSIT_PROGRAM, depositModel } from './deposit-program.ts';
import { fund, type GenesisOptions, writeGenesis } from './genesis.ts';
import type { Generation } from './launch-programs/create-config.ts';
import { launchModels, writeLaunchGenesis } from './launch-programs/launch-models.ts';
import { createMethods } from './methods.ts';
import { RpcRefusal } from './parameters.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface ChainOptions extends GenesisOptions {
  readonly clock: Clock;
  readonly seed: number;
  /** Slot source: `manual` advances slots on command only, `clock` every 400 ms. Default `clock`. */
  readonly slots?: 'clock' | 'manual';
  /** Folder of `<program id>.so` files to deploy on the chain. */
  readonly programs?: string | null;
  /** Generation of the curve program's model, if the folder has no binary. Default: the newest. */
  readonly generation?: Generation;
}

export interface NodeOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port whose successor is free as well. */
  readonly port: number;
}

export type SolanaSimulatorOptions = ChainOptions & NodeOptions;

export interface SolanaSimulator {
  /** URL of JSON-RPC over POST. Websockets are accepted here and on the next port, where web3.js expects them. */
  readonly url: string;
  readonly faults: FaultSwitch;
  readonly chain: SolanaChain;
  /** Number of requests by method. */
  readonly requests: ReadonlyMap<string, number>;
  /**
   * Gives an owner base units of a mint, or lamports if the mint is `SOL`. Returns the signature.
   * @throws RangeError if the address, the mint or the amount is invalid
   */
  fund(owner: string, mint: string, amount: bigint): string;
  close(): Promise<void>;
}

/** Maximum attempts to find a pair of ports. */
const PORT_TRIES = 20;

/**
 * Creates a chain with its genesis block and the programs of the folder.
 * @throws Error if a program cannot be loaded
 */
export function foundChain({ clock, seed, slots = 'clock', programs = null, generation, mints, stable }: ChainOptions): SolanaChain {
  const chain = createSolanaChain({
    clock,
    seed,
    slots,
    models: new Map([...launchModels(generation), [AGGREGATOR_PROGRAM, aggregatorProgram], [DEPOSIT_PROGRAM, depositModel]]),
  });
  writeGenesis(chain, { mints, stable });
  writeLaunchGenesis(chain, mints);
  if (programs !== null) loadPrograms(chain, programs);
  return chain;
}

/**
 * Starts a chain and its node.
 * @throws Error if a program cannot be loaded or the port is taken
 */
export function createSolanaSimulator(options: SolanaSimulatorOptions): Promise<SolanaSimulator> {
  return openSolanaNode(foundChain(options), options);
}

/** Starts a node of a chain. @throws Error if the port is taken */
export async function openSolanaNode(chain: SolanaChain, options: NodeOptions): Promise<SolanaSimulator> {
  const { clock, seed } = options;
  const faults = options.faults ?? createFaultSwitch(seed);
  const methods = createMethods(chain, seed);
  const requests = new Map<string, number>();
  const subscriptions = createSubscriptions({ chain, clock });

  function answer(message: unknown): object {
    const { jsonrpc, id, method, params } = (typeof message === 'object' && message !== null ? message : {}) as Record<string, unknown>;
    const known = typeof id === 'number' || typeof id === 'string' ? id : null;
    const refused = (code: number, text: string, data?: unknown) => ({
      jsonrpc: '2.0',
      error: { code, message: text, ...(data === undefined ? {} : { data }) },
      id: known,
    });
    if (jsonrpc !== '2.0' || typeof method !== 'string') return refused(-32600, 'Invalid request');
    requests.set(method, (requests.get(method) ?? 0) + 1);
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) return refused(-32601, 'Method not found');
    if (params !== undefined && !Array.isArray(params)) return refused(-32602, 'Invalid params: expected a list of parameters.');
    try {
      return { jsonrpc: '2.0', result: run((params as unknown[] | undefined) ?? []), id: known };
    } catch (error) {
      if (error instanceof RpcRefusal) return refused(error.code, error.message, error.data);
      return refused(-32603, `Internal error: ${(error as Error).message}`);
    }
  }

  function request({ method, path, body }: LoopbackRequest): LoopbackAnswer {
    if (path !== '/' || method !== 'POST') return { status: 405, body: 'Used HTTP Method is not allowed. POST or OPTIONS is required\n' };
    if (faults.happens(faults.settings.status5xx)) return { status: 503, body: 'Service Unavailable' };
    if (faults.happens(faults.settings.status429))
      return {
        status: 429,
        body: { jsonrpc: '2.0', error: { code: 429, message: 'Too many requests for a specific RPC call' }, id: null },
        headers: { 'retry-after': '1' },
      };
    let message: unknown;
    try {
      message = JSON.parse(body);
    } catch {
      return { status: 200, body: { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' }, id: null } };
    }
    if (!Array.isArray(message)) return { status: 200, body: answer(message) };
    if (message.length === 0)
      return { status: 200, body: { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid request' }, id: null } };
    return { status: 200, body: message.map(answer) };
  }

  const listen = (port: number): Promise<LoopbackServer> => listenOnLoopback({ clock, faults, port, request, socket: subscriptions.open });
  const servers = await pairOfServers(listen, options.port);
  return {
    url: servers[0].url,
    faults,
    chain,
    requests,
    fund: (owner, mint, amount) => fund(chain, owner, mint, amount),
    async close() {
      subscriptions.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Opens two servers on adjacent ports: the first answers requests, and older clients expect websockets on the second. */
async function pairOfServers(
  listen: (port: number) => Promise<LoopbackServer>,
  port: number,
): Promise<readonly [LoopbackServer, LoopbackServer]> {
  for (let tried = 1; ; tried++) {
    const first = await listen(port);
    try {
      return [first, await listen(Number(new URL(first.url).port) + 1)];
    } catch (error) {
      await first.close();
      if (port !== 0 || tried === PORT_TRIES) throw error;
    }
  }
}

const ELF = [0x7f, 0x45, 0x4c, 0x46];

/**
 * Loads every program of the folder and returns their ids.
 * @throws Error naming the file if the folder cannot be read, a name is not a program id, or the virtual machine refuses a file
 */
function loadPrograms(chain: Pick<SolanaChain, 'addProgram' | 'account'>, folder: string): readonly string[] {
  return programFiles(folder).map((file) => {
    const id = file.slice(0, -'.so'.length);
    const where = join(folder, file);
    if (!isAddress(id))
      throw new Error(`${where} should be named after its program, <base58 program id>.so: ${JSON.stringify(id)} is not an address`);
    if (chain.account(id, 'processed') !== null)
      throw new Error(`${where}: ${id} is on the sandbox's chain already, so that it cannot be replaced`);
    try {
      const elf = readFileSync(where);
      if (ELF.some((byte, at) => elf[at] !== byte)) throw new Error('it does not begin as an ELF file');
      chain.addProgram(id, elf);
    } catch (error) {
      throw new Error(`${where} is no program that the virtual machine takes: ${(error as Error).message}`);
    }
    return id;
  });
}

function programFiles(folder: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    throw new Error(`the folder of program binaries, ${folder}, cannot be read: ${(error as Error).message}`);
  }
  return names.filter((name) => name.endsWith('.so'));
}
