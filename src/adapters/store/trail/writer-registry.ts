/**
 * Registered writers of a database. The owner of the tables registers them; the first registration signs the existing rows as a genesis.
 */
import { createHash } from 'node:crypto';
import { openDatabase, type Transaction } from '../database.ts';
import { type BatchSigner, sealBatch } from './batch-seal.ts';

/**
 * Id of the advisory lock for changing the schema and registering writers, which prevents deadlocks between processes that start at once.
 * Any constant works.
 */
export const SCHEMA_LOCK = 7_070_707;

export interface RegisteredWriter extends BatchSigner {
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Buffer;
  /** Secret of 32 bytes behind the proofs of organizations; only the owner of the tables can read it. */
  readonly organizationSecret: Buffer;
}

export interface Registration {
  /** Number of rows in the genesis; null if none was needed. */
  readonly genesis: number | null;
  /** True if the database now knows all writers; false if it must be migrated first. */
  readonly knowsAll: boolean;
}

/**
 * Registers unknown writers. From the first one on the database accepts changes from writers only; the existing rows are logged and signed
 * by the first writer. @param ownerUrl URL of the login that owns the tables
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
        // A database that is not migrated yet has no place for the secrets; they are registered after migration.
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
 * Registers a writer's new key and retires its others in one transaction. Sessions with a retired key can change nothing, so their
 * processes must be restarted. Returns the ids of the retired keys.
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
 * Signs the changes of an owner's transaction, such as a migration, and returns the number of signed rows; 0 if this writer is not
 * registered.
 */
export async function sealAsOwner(transaction: Transaction, signer: BatchSigner): Promise<number> {
  const [known] = await transaction`select 1 from trail_writers where key_id = ${signer.id}`;
  if (known === undefined) return 0;
  await transaction`select set_config('sevengate.proof', ${signer.sessionProof}, true)`;
  return sealBatch(transaction, signer);
}

/** Logs all existing rows and signs them together. */
async function signGenesis(transaction: Transaction, signer: BatchSigner): Promise<number> {
  // Before the sums, so that the rows they write are logged too.
  await transaction`select set_config('sevengate.proof', ${signer.sessionProof}, true)`;
  await transaction`select trail_sum_up()`;
  const tables = await transaction<{ name: string }[]>`
    select name from trail_tables where mode = 'logged' and to_regclass(name) is not null and name not in ('tick_batches', 'cut_batches', 'candle_stretches') order by name`;
  for (const { name } of tables) await transaction`select trail_genesis(${name}::regclass)`;
  await transaction`update trail_tables t set shape = trail_shape_of(to_regclass(t.name)) where mode = 'logged' and shape is null`;
  return sealBatch(transaction, signer);
}
