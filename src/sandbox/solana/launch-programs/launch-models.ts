/** The programs that launches need, as models: used where the sandbox's chain has no binary of them. */
import { CURVE_INSTRUCTIONS, CURVE_PROGRAM } from '../../../domain/launch/curve-program.ts';
import { createConfig, type Generation } from './create-config.ts';
import { createPool } from './create-pool.ts';
import { claimFee, swap } from './curve-swaps.ts';
import { createLocker, migrate } from './graduation.ts';
import { type ModelContext, ProgramFailure, type ProgramModel } from './modelled-machine.ts';

/** An instruction that the program does not know. */
const UNKNOWN_INSTRUCTION = 101;

/** The models by program. The badge generation is the one that runs since shares may be quoted. */
export function launchModels(generation: Generation = 'badges'): ReadonlyMap<string, ProgramModel> {
  const instructions: readonly (readonly [name: keyof typeof CURVE_INSTRUCTIONS, run: (context: ModelContext) => void])[] = [
    ['createConfig', (context) => createConfig(context, generation)],
    ['initializePool', (context) => createPool(context, generation)],
    ['swap', (context) => swap(context, false)],
    ['swap2', (context) => swap(context, true)],
    ['claimCreatorFee', (context) => claimFee(context, 'creator')],
    ['claimPartnerFee', (context) => claimFee(context, 'partner')],
    ['createLocker', createLocker],
    ['migrate', migrate],
  ];
  const curve: ProgramModel = (context) => {
    const found = instructions.find(([name]) => CURVE_INSTRUCTIONS[name].every((byte, at) => context.data[at] === byte));
    if (found === undefined) throw new ProgramFailure(UNKNOWN_INSTRUCTION);
    context.log(`Instruction: ${found[0]}`);
    found[1](context);
  };
  return new Map([[CURVE_PROGRAM, curve]]);
}
