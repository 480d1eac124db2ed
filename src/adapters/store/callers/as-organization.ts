/**
 * Database access for a caller's organization: every statement runs in a transaction that first names the one organization whose rows it
 * may see and write. Without that the role of these connections sees none (row-level security, migrations/0004_row_level_security.sql),
 * whatever a statement says or forgets to say.
 */
import { isConnectionLoss, organizationProof, type Sql, type Transaction } from '../database.ts';

/** The role of the callers' pool: `openDatabase({ url, role: API_ROLE, … })`. */
export const API_ROLE = 'sevengate_api';

/** Organization of a call: its id, or the context of a command. */
type For = string | { readonly orgId: string };

/** Ports of the API: each method says first which organization it is for. */
type Clients<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (of: infer First, ...rest: never[]) => unknown
    ? First extends For
      ? Methods[Name]
      : never
    : Clients<Methods[Name]>;
};

/** Maximum statements that share a transaction. They wait for each other. */
const TOGETHER = 8;

/**
 * The pool in the name of an organization, for anything that is written against `Sql`. `begin` is a transaction that
 * names the organization first, with the proof that the pool's key makes of it. A statement beside one gets a transaction of its own, or shares that of others which
 * were asked for while it began; if one of them fails, each is tried alone, so none is told of another's mistake. Names,
 * lists, JSON and parts of statements work as ever; there is no way here to send anything else.
 * @param pool works as `API_ROLE`.
 */
export function asOrganization(pool: Sql, orgId: string): Sql {
  let joining: Asked[] | null = null;
  const proof = organizationProof(pool, orgId);

  type Work<Value> = (transaction: Transaction) => Promise<Value>;
  function begin<Value>(...given: [Work<Value>] | [options: string, Work<Value>]): Promise<Value> {
    const [options, work] = given.length === 2 ? given : ['', given[0]];
    return pool.begin(options, (transaction) => {
      // Not awaited: it is sent before whatever the work sends. Where it fails, the transaction does and all that follows in it.
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
      // After a lost connection nobody knows what was committed: whoever asked decides whether to ask again.
      if (batch.length === 1 || isConnectionLoss(error)) for (const { reject } of batch) reject(error);
      else
        for (const { statement, resolve, reject } of batch)
          begin(async (transaction) => statement.within(transaction)).then(resolve, reject);
    }
  }

  const tag = (strings: TemplateStringsArray, ...values: unknown[]): unknown => {
    // Names and lists for statements: nothing is sent by them.
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

/** Statement that is sent when it is awaited, or a part of another one. */
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

  /** The same statement inside a transaction, with the parts that it is made of. */
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

/**
 * Ports of the API whose every method works in the name of the organization that its first argument says. `create` is
 * called once per organization; organizations are those of members, so there are few.
 */
export function perOrganization<Methods extends object>(pool: Sql, create: (sql: Sql) => Methods & Clients<Methods>): Methods {
  const made = new Map<string, object>();
  const clientsOf = (orgId: string): object => {
    const ports = made.get(orgId) ?? create(asOrganization(pool, orgId));
    made.set(orgId, ports);
    return ports;
  };
  /** The same shape, each method leading to that of the organization's own ports. */
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
  return leadingTo(create(asOrganization(pool, '')), clientsOf) as Methods;
}
