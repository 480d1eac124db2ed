/** Program binaries of a folder. Each `<program id>.so` is deployed on the sandbox's chain, so that programs can be tried. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAddress } from '@solana/kit';
import type { SolanaChain } from './chain.ts';

const ELF = [0x7f, 0x45, 0x4c, 0x46];

/**
 * Loads every program of the folder and returns their ids.
 * @throws Error naming the file if the folder cannot be read, a name is not a program id, or the virtual machine refuses a file
 */
export function loadPrograms(chain: Pick<SolanaChain, 'addProgram' | 'account'>, folder: string): readonly string[] {
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
