/** The writers that a database takes changes from: registered by the owner of the tables, with a signed genesis over what is there. */
import { createHash } from 'node:crypto';
import { openDatabase, type Transaction } from '../database.ts';
import { SCHEMA_LOCK } from '../schema-lock.ts';
import { type BatchSigner, sealBatch } from './batch-seal.ts';

export interface RegisteredWriter extends BatchSigner {
  /** The 32 bytes of its Ed25519 public key. */
  readonly publicKey: Buffer;
  /** 32 bytes: what organizations are proved with. Nobody reads it but the owner of the tables. */
  readonly organizationSecret: Buffer;
}

export interface Registration {
  /** Number of rows of the genesis; null if there was none to make. */
  readonly genesis: number | null;
  /** True if the database now knows all of the writers. One that is still to be migrated does not. */
  readonly knowsAll: boolean;
}

/**
 * Registers writers that the database does not know yet. From the first one on it takes changes from writers alone; what
 * lies in it at that moment is logged and signed by the first of them, as what was found there.
 * @param ownerUrl of the login that owns the tables.
 */
export async function registerWriters(ownerUrl: string, writers: readonly RegisteredWriter[]): Promise<Registration> {
  const owner = openDatabase({ url: ownerUrl, connections: 1, role: null, name: 'sevengate writers' });
  try {
    return (await owner.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(${SCHEMA_LOCK})`;
      const [known] = await transaction<{ there: boolean }[]>`select to_regclass('trail_writers') is not null as there`;
      if (known?.there !== true) return { genesis: null, knowsAll: false };
      const [before] = await transaction<{ writers: number }[]>`select count(*)::int as writers from trail_writers`;
      const [shown] = await transaction<{ there: boolean }[]>`select to_regclass('trail_organization_secrets') is not null as there`;
      for (const { id, writer, publicKey, sessionProof, organizationSecret } of writers) {
        await transaction`
          insert into trail_writers (key_id, writer, public_key, session_digest)
          values (${id}, ${writer}, ${publicKey}, ${createHash('sha256').update(sessionProof).digest()}) on conflict do nothing`;
        // A database that is still to be migrated knows no such secrets yet: they are registered once it is.
        if (shown?.there === true)
          await transaction`insert into trail_organization_secrets (key_id, prover) values (${id}, ${organizationSecret}) on conflict do nothing`;
      }
      const [first] = writers;
      const genesis = before?.writers === 0 && first !== undefined ? await signGenesis(transaction, first) : null;
      return { genesis, knowsAll: shown?.there === true };
    })) as Registration;
  } finally {
    await owner.end({ timeout: 3 });
  }
}

/**
 * Registers a new key of a writer and retires every other one of it, in one transaction. Sessions of a retired key change nothing
 * from then on: its processes must be started again.
 * @returns the ids of the keys that were retired now.
 */
export async function replaceWriter(ownerUrl: string, fresh: RegisteredWriter, reason: string): Promise<readonly string[]> {
  await registerWriters(ownerUrl, [fresh]);
  const owner = openDatabase({ url: ownerUrl, connections: 1, role: null, name: 'sevengate writers' });
  try {
    const rows = await owner<{ key_id: string }[]>`
      insert into trail_retirements (key_id, reason) select key_id, ${reason} from trail_writers where writer = ${fresh.writer} and key_id <> ${fresh.id}
      on conflict do nothing returning key_id`;
    return rows.map(({ key_id }) => key_id);
  } finally {
    await owner.end({ timeout: 3 });
  }
}

/**
 * Signs, inside a transaction of the owner, what its statements have changed: a migration, for example. @returns the number of rows signed;
 * zero if this writer is not registered.
 */
export async function sealAsOwner(transaction: Transaction, signer: BatchSigner): Promise<number> {
  const [known] = await transaction`select 1 from trail_writers where key_id = ${signer.id}`;
  if (known === undefined) return 0;
  await transaction`select set_config('sevengate.proof', ${signer.sessionProof}, true)`;
  return sealBatch(transaction, signer);
}

/** Logs every row that is there, and signs them together. */
async function signGenesis(transaction: Transaction, signer: BatchSigner): Promise<number> {
  // Before the sums: what these write is logged with everything else.
  await transaction`select set_config('sevengate.proof', ${signer.sessionProof}, true)`;
  await transaction`select trail_sum_up()`;
  const tables = await transaction<{ name: string }[]>`
    select name from trail_tables where mode = 'logged' and to_regclass(name) is not null and name not in ('tick_batches', 'cut_batches', 'candle_stretches') order by name`;
  for (const { name } of tables) await transaction`select trail_genesis(${name}::regclass)`;
  await transaction`update trail_tables t set shape = trail_shape_of(to_regclass(t.name)) where mode = 'logged' and shape is null`;
  return sealBatch(transaction, signer);
}
