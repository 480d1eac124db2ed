/** Builds a transaction's message from its instructions, in the legacy wire format without lookup tables. */

import { joined, keyBytes } from '../launch/byte-struct.ts';
import { type NamedAccount, type ProgramInstruction } from '../launch/curve/program.ts';

interface Role {
  readonly signer: boolean;
  readonly writable: boolean;
}

/** Encodes a count in at most two bytes of seven bits. */
function count(value: number): Uint8Array {
  return value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
}

/** Orders accounts: the payer first, then signers before others and writable before read-only ones. */
function placed(payer: string, instructions: readonly ProgramInstruction[]): readonly (readonly [string, Role])[] {
  const roles = new Map<string, Role>([[payer, { signer: true, writable: true }]]);
  const name = ({ address, signer = false, writable = false }: NamedAccount): void => {
    const known = roles.get(address);
    roles.set(address, { signer: signer || known?.signer === true, writable: writable || known?.writable === true });
  };
  for (const { accounts } of instructions) accounts.forEach(name);
  for (const { program } of instructions) name({ address: program });
  const rank = ({ signer, writable }: Role): number => (signer ? 0 : 2) + (writable ? 0 : 1);
  const [first, ...rest] = [...roles];
  return [first as readonly [string, Role], ...rest.sort(([, a], [, b]) => rank(a) - rank(b))];
}

/** Returns the message's bytes. @throws RangeError if there are more accounts than an index can address. */
export function compileMessage(payer: string, blockhash: string, instructions: readonly ProgramInstruction[]): Uint8Array {
  const accounts = placed(payer, instructions);
  if (accounts.length > 256) throw new RangeError(`a message cannot have ${accounts.length} accounts`);
  const index = new Map(accounts.map(([address], place) => [address, place]));
  const findIndex = (address: string): number => index.get(address) as number;
  const signers = accounts.filter(([, { signer }]) => signer);
  const header = Uint8Array.of(
    signers.length,
    signers.filter(([, { writable }]) => !writable).length,
    accounts.filter(([, { signer, writable }]) => !signer && !writable).length,
  );
  const compiled = instructions.map(({ program, accounts: named, data }) =>
    joined(
      Uint8Array.of(findIndex(program)),
      count(named.length),
      Uint8Array.from(named, ({ address }) => findIndex(address)),
      count(data.length),
      data,
    ),
  );
  return joined(
    header,
    count(accounts.length),
    ...accounts.map(([address]) => keyBytes(address)),
    keyBytes(blockhash),
    count(compiled.length),
    ...compiled,
  );
}

/** Returns a transaction: the signature slots and the message. Missing signatures are zeros. */
export function wireTransaction(message: Uint8Array, signatures: readonly (Uint8Array | null)[]): Uint8Array {
  return joined(count(signatures.length), ...signatures.map((one) => one ?? new Uint8Array(64)), message);
}
