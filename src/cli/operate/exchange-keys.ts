/** `sevengate exchange-keys`: spot exchange keys of organizations, which only the signer process reads. */
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { readNamedFile } from '../../adapters/named-file.ts';
import { listExchangeKeys, readExchangeKey, removeExchangeKey, writeExchangeKey } from '../../adapters/signing-keys/exchange-keys.ts';
import { createExchangeAccountStore } from '../../adapters/store/callers/exchange-account-store.ts';
import { createMemberStore } from '../../adapters/store/callers/member-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { type SpotCredentials, signWithKey } from '../../adapters/venues/spotexchange/spot-signer.ts';
import { keyChange } from '../../domain/orders/exchange-request.ts';
import { exchangeSecret } from '../../domain/settings/setting-values.ts';
import { ORGANIZATION_OPTION, organization } from './organization.ts';
import { withWriterDatabase } from '../service-database.ts';
import type { Service } from '../ports.ts';
import { print } from '../words.ts';

interface Options {
  readonly org?: string;
  readonly json?: true;
}
interface AddOptions extends Options {
  readonly secretFile?: string;
  readonly otherAccount?: true;
}

export function exchangeKeysCommands(keys: Command, service: Service): void {
  const command = (words: string, description: string): Command =>
    keys.command(words).description(description).option('--json', 'print the result as JSON');
  const ofOne = (words: string, description: string): Command => command(words, description).option(...ORGANIZATION_OPTION);

  ofOne('add <key>', 'add or replace the API key of an organization; the secret is read from standard input')
    .option('--secret-file <file>', 'read the secret from a file: a shared secret, or an Ed25519 private key, PEM')
    .option('--other-account', 'allow a key of another account than before; refused while an order is open')
    .action((key: string, options: AddOptions) => add(service, key, options));
  command('list', 'list the organizations that have a key, with the account of each; no secret is printed').action((options: Options) => {
    const items = listExchangeKeys(home(service));
    print(options.json ? JSON.stringify(items) : items.map((one) => `${one.orgId}  ${one.keyStart}…  account ${one.account}`).join('\n'));
  });
  ofOne('remove', 'remove the key of an organization: it sends no more orders to the exchange').action((options: Options) =>
    remove(service, options),
  );
}

const home = (service: Service): string => resolve(service.settings().SEVENGATE_HOME);

/** Adds or replaces a key atomically, so that an order in progress can be queried with either key. */
async function add(service: Service, key: string, { org, json, secretFile, otherAccount }: AddOptions): Promise<void> {
  const orgId = organization(org ?? service.exampleOrganization);
  const credentials = { key: checkedKey(key), secret: await readSecret(secretFile) };
  const { account, canTrade } = await readAccount(service, credentials, orgId);
  if (!canTrade) throw new Error(`the key may not trade on account ${account}: allow spot trading for it at the exchange`);
  const at = createLiveClock().now();
  await withAccounts(service, orgId, org, async (store) => {
    const accounts = await store.all();
    const refusal = keyChange({
      account,
      before: accounts.find((one) => one.orgId === orgId)?.account ?? null,
      others: accounts.filter((one) => one.orgId !== orgId),
      changes: otherAccount === true,
      openOrders: await store.openOrders(orgId),
    });
    if (refusal !== null) throw new Error(refusal);
    writeExchangeKey(home(service), orgId, { ...credentials, account, addedAt: at });
    await store.note(orgId, account, at);
  });
  print(json ? JSON.stringify({ orgId, account }) : `organization ${orgId} trades on account ${account} of the spot exchange`);
}

async function remove(service: Service, { org, json }: Options): Promise<void> {
  const orgId = organization(org ?? service.exampleOrganization);
  const before = readExchangeKey(home(service), orgId);
  await withAccounts(service, orgId, org, async (store) => {
    const open = await store.openOrders(orgId);
    if (open > 0)
      throw new Error(
        `${open} live orders of the organization are open, and their outcome cannot be read without the key: cancel them first`,
      );
    await store.noteRemoved(orgId, createLiveClock().now());
    removeExchangeKey(home(service), orgId);
  });
  print(json ? JSON.stringify({ orgId, removed: before !== null }) : before === null ? 'there was no key' : `removed the key of ${orgId}`);
}

function withAccounts(
  service: Service,
  orgId: string,
  org: string | undefined,
  work: (store: ReturnType<typeof createExchangeAccountStore>) => Promise<void>,
) {
  return withWriterDatabase(
    service,
    'sevengate exchange-keys',
    async (sql: Sql) => {
      await createMemberStore(sql).ensureOrganization(orgId, org ?? 'Example desk');
      await work(createExchangeAccountStore(sql));
    },
    'api',
  );
}

/** Asks the exchange which account the key belongs to. @throws Error if it does not answer */
async function readAccount(service: Service, credentials: SpotCredentials, orgId: string) {
  const accounts = await service.spotAccounts(signWithKey(credentials));
  try {
    return await accounts.read(orgId);
  } finally {
    accounts.close();
  }
}

function checkedKey(key: string): string {
  if (!/^[A-Za-z0-9]{8,64}$/.test(key)) throw new Error('invalid API key: it must be 8 to 64 letters and digits');
  return key;
}

async function readSecret(file: string | undefined): Promise<string> {
  const given = (file === undefined ? await textOf(process.stdin) : readNamedFile(file)).trim();
  if (given === '') throw new Error('no secret was given: pipe it into the command, or name its file with --secret-file');
  const read = exchangeSecret(given);
  if ('wrong' in read) throw new Error(`the secret ${read.wrong}`);
  return read.value.take();
}
