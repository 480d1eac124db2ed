/**
 * Database access for one organization: every statement runs in a transaction that first names the organization. Without a name this role
 * sees and writes no rows (row-level security, migrations/0004_row_level_security.sql), whatever the statement says.
 */
import { isConnectionLoss, organizationProof, type Sql, type Transaction } from '../database.ts';

/** Role of the callers' pool: `openDatabase({ url, role: API_ROLE, … })`. */
export const API_ROLE = 'sevengate_api';

/** Organization of a call: its id, or a command's context. */
type For = string | { readonly orgId: string };

/** Ports of the API, whose methods take the organization first. */
type Clients<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (of: infer First, ...rest: never[]) => unknown
    ? First extends For
      ? Methods[Name]
      : never
    : Clients<Methods[Name]>;
};

/** Maximum statements per shared transaction; they wait for each other. */
const TOGETHER = 8;

/**
 * Wraps the pool as a `Sql` of one organization. Transactions name the organization first, with a proof made by the pool's key. A statement
 * outside a transaction gets its own, or shares one with concurrent statements; if one of them fails, each is repeated by itself. Names,
 * lists, JSON and parts of statements work as usual; nothing else can be sent. @param pool connected as `API_ROLE`
 */
export function asOrganization(pool: Sql, orgId: string): Sql {
  let joining: Asked[] | null = null;
  const proof = organizationProof(pool, orgId);

  type Work<Value> = (transaction: Transaction) => Promise<Value>;
  function begin<Value>(...given: [Work<Value>] | [options: string, Work<Value>]): Promise<Value> {
    const [options, work] = given.length === 2 ? given : ['', given[0]];
    return pool.begin(options, (transaction) => {
      // Not awaited: it is sent first, and its failure fails the whole transaction.
      transaction`
        select set_config('sevengate.organization', ${orgId}, true), set_config('sevengate.organization_proof', ${proof}, true)`.catch(
        () => {},
      );
      return work(transaction);
    }) as Promise<Value>;
  }

  function ask(asked: Asked): void {
    if (joining !== null && joining.length < TOGETHER) joining.push(asked);
    else {
      joining = [asked];
      void together(joining);
    }
  }

  async function together(batch: Asked[]): Promise<void> {
    try {
      const answers = await begin((transaction) => {
        if (joining === batch) joining = null;
        return Promise.all(batch.map(({ statement }) => statement.within(transaction)));
      });
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]);
    } catch (error) {
      if (joining === batch) joining = null;
      // After a lost connection the outcome is unknown, so the caller decides whether to repeat.
      if (batch.length === 1 || isConnectionLoss(error)) for (const { reject } of batch) reject(error);
      else
        for (const { statement, resolve, reject } of batch)
          begin(async (transaction) => statement.within(transaction)).then(resolve, reject);
    }
  }

  const tag = (strings: TemplateStringsArray, ...values: unknown[]): unknown => {
    // Names and lists are parts of statements and send nothing.
    if (!Object.hasOwn(strings, 'raw')) return Reflect.apply(pool, undefined, [strings, ...values]) as unknown;
    return new Statement(strings, values, ask);
  };
  return Object.assign(tag, { begin, json: pool.json }) as unknown as Sql;
}

interface Asked {
  readonly statement: Statement;
  readonly resolve: (rows: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Statement that is sent when awaited, or becomes part of another one. */
class Statement implements PromiseLike<unknown> {
  readonly #strings: TemplateStringsArray;
  readonly #values: readonly unknown[];
  readonly #ask: (asked: Asked) => void;
  #answer: Promise<unknown> | null = null;

  constructor(strings: TemplateStringsArray, values: readonly unknown[], ask: (asked: Asked) => void) {
    this.#strings = strings;
    this.#values = values;
    this.#ask = ask;
  }

  /** Returns the statement and its parts in a transaction. */
  within(transaction: Transaction): ReturnType<Transaction> {
    const values = this.#values.map((value) => (value instanceof Statement ? value.within(transaction) : value));
    return transaction(this.#strings, ...(values as never[])) as ReturnType<Transaction>;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a statement of postgres.js is one too.
  then<Found = unknown, Lost = never>(
    found?: ((rows: unknown) => Found | PromiseLike<Found>) | null,
    lost?: ((error: unknown) => Lost | PromiseLike<Lost>) | null,
  ): Promise<Found | Lost> {
    this.#answer ??= new Promise((resolve, reject) => this.#ask({ statement: this, resolve, reject }));
    return this.#answer.then(found, lost);
  }
}

/** Creates ports whose methods act for the organization in their first argument. `create` is called once per organization. */
export function perOrganization<Methods extends object>(pool: Sql, create: (sql: Sql) => Methods & Clients<Methods>): Methods {
  const made = new Map<string, object>();
  const openClients = (orgId: string): object => {
    const ports = made.get(orgId) ?? create(asOrganization(pool, orgId));
    made.set(orgId, ports);
    return ports;
  };
  /** Returns an object of the same shape whose methods call the organization's own ports. */
  function leadingTo(shape: object, reach: (orgId: string) => object): object {
    const entries = Object.entries(shape).map(([name, part]: [string, unknown]) => {
      const own = (orgId: string): unknown => (reach(orgId) as Readonly<Record<string, unknown>>)[name];
      if (typeof part !== 'function') return [name, leadingTo(part as object, own as (orgId: string) => object)];
      const method = (of: For, ...rest: unknown[]): unknown =>
        (own(typeof of === 'string' ? of : of.orgId) as (of: For, ...rest: unknown[]) => unknown)(of, ...rest);
      return [name, method];
    });
    return Object.fromEntries(entries) as object;
  }
  return leadingTo(create(asOrganization(pool, '')), openClients) as Methods;
}
