/** Models of the programs that launches need, used if the sandbox's chain has no binary of them. */

import { CURVE_INSTRUCTIONS, LOCKER_CLAIM } from '../../../domain/launch/curve/instructions.ts';
import { SUCCESSOR_PROGRAM } from '../../../domain/launch/curve/program.ts';
import { CURVE_PROGRAM, LOCKER_PROGRAM } from '../../../domain/solana/programs.ts';

import { createConfig, type Generation } from './create-config.ts';
import { createPool } from './create-pool.ts';
import { claimFee, swap } from './curve-swaps.ts';
import { createLocker, migrate } from './graduation.ts';
import { type ModelContext, ProgramFailure, type ProgramModel } from './modelled-machine.ts';
import { swapInSuccessor } from './successor-swaps.ts';
import { claimUnlocked, withdrawMigrationFee, withdrawSurplus } from './withdrawals.ts';

/** Anchor's error for an unknown instruction. */
const UNKNOWN_INSTRUCTION = 101;

/** Returns the models by program. The badge generation has been live since shares may be quoted. */
export function launchModels(generation: Generation = 'badges'): ReadonlyMap<string, ProgramModel> {
  const instructions: readonly (readonly [name: keyof typeof CURVE_INSTRUCTIONS, run: (context: ModelContext) => void])[] = [
    ['createConfig', (context) => createConfig(context, generation)],
    ['initializePool', (context) => createPool(context, generation)],
    ['swap', (context) => swap(context, false)],
    ['swap2', (context) => swap(context, true)],
    ['claimCreatorFee', (context) => claimFee(context, 'creator')],
    ['claimPartnerFee', (context) => claimFee(context, 'partner')],
    ['creatorSurplus', (context) => withdrawSurplus(context, 'creator')],
    ['partnerSurplus', (context) => withdrawSurplus(context, 'partner')],
    ['migrationFee', withdrawMigrationFee],
    ['createLocker', createLocker],
    ['migrate', migrate],
  ];
  const curve = instructions.map(([name, run]) => ({ name, begins: CURVE_INSTRUCTIONS[name], run }));
  return new Map([
    [CURVE_PROGRAM, combineModels(curve)],
    [SUCCESSOR_PROGRAM, combineModels([{ name: 'swap2', begins: CURVE_INSTRUCTIONS.swap2, run: swapInSuccessor }])],
    [LOCKER_PROGRAM, combineModels([{ name: 'claim', begins: LOCKER_CLAIM, run: claimUnlocked }])],
  ]);
}

interface ModelledInstruction {
  readonly name: string;
  /** First bytes of the instruction data. */
  readonly begins: Uint8Array;
  run(context: ModelContext): void;
}

function combineModels(instructions: readonly ModelledInstruction[]): ProgramModel {
  return (context) => {
    const found = instructions.find(({ begins }) => begins.every((byte, at) => context.data[at] === byte));
    if (found === undefined) throw new ProgramFailure(UNKNOWN_INSTRUCTION);
    context.log(`Instruction: ${found.name}`);
    found.run(context);
  };
}
