/**
 * Settings that the service keeps for the signed-in member, so that they follow to another browser: short texts by name. This browser's
 * storage is their cache, for the first paint, without a connection, and for the other tabs.
 */
import { notifications } from '@mantine/notifications';
import { ApiError, api, lastCall, type Me } from './api.ts';
import { describeError } from './kit/refusal.tsx';
import { createStore, keep, readKept, type Store } from './kit/store.ts';

interface Kept {
  readonly text: string;
  /** Version at the service that it equals or changes; 0 if there is none. */
  readonly version: number;
  readonly isUnsent: boolean;
  /** Texts of the last writes whose answer was not seen. Found at the service, such a text is this browser's own. */
  readonly unanswered?: readonly string[];
}

type Listed = Awaited<ReturnType<typeof api.listSettings>>['items'];

const SEND_AFTER_MS = 1_000;
/** Time after the member is known within which the page waits for the settings. Nothing that is shown shifts by a later answer. */
const LONGEST_WAIT_MS = 1_500;
/** Number of such texts that are kept. */
const UNANSWERED = 3;
const CANNOT_BE_SENT = [400, 403, 413];

const stores = new Map<string, { readonly store: Store<string>; readonly first: string }>();
const planned = new Map<string, ReturnType<typeof setTimeout>>();
const sending = new Set<string>();
/** Storage key of the member's cache. Null until a member is known. */
let key: string | null = null;
/** True for a member of an organization. Nobody else has settings at the service. */
let isMember = false;
let cache: ReadonlyMap<string, Kept> = new Map();

/** Returns the store of a setting. What reads it must accept any text. @param first Text before any choice. */
export function openSetting(name: string, first = ''): Store<string> {
  const found = stores.get(name);
  if (found !== undefined) return found.store;
  const store = createStore(cache.get(name)?.text ?? first);
  stores.set(name, { store, first });
  store.subscribe(() => {
    const text = store.get();
    const before = cache.get(name);
    if (key === null || (before?.text ?? first) === text) return;
    put(name, { ...before, text, version: before?.version ?? 0, isUnsent: true });
    plan(name);
  });
  return store;
}

/** Asks for the settings beside the member. Null if they cannot be read. */
export const askSettings = (): Promise<Listed | null> =>
  api.listSettings().then(
    ({ items }) => items,
    () => null,
  );

/** Takes up the settings of a member: the service's, or what this browser has if it does not answer in time. */
export async function openSettings({ orgId, subject }: Me, asked: Promise<Listed | null>): Promise<void> {
  key = `sevengate.settings.${orgId} ${subject}`;
  isMember = orgId !== null;
  cache = new Map();
  showCache();
  const late = new Promise<null>((resolve) => setTimeout(resolve, LONGEST_WAIT_MS, null));
  const listed = await Promise.race([asked, late]);
  if (listed !== null) agree(listed);
}

function showCache(): void {
  cache = readCache();
  for (const [name, { store, first }] of stores) store.set(cache.get(name)?.text ?? first);
}

function readCache(): ReadonlyMap<string, Kept> {
  const text = key === null ? null : readKept(key);
  if (text === null) return cache;
  try {
    return new Map(Object.entries(JSON.parse(text) as object).filter((entry): entry is [string, Kept] => isKept(entry[1])));
  } catch {
    return new Map();
  }
}

const isKept = (found: Partial<Kept> | null): boolean =>
  typeof found?.text === 'string' &&
  Number.isInteger(found.version) &&
  typeof found.isUnsent === 'boolean' &&
  Array.isArray(found.unanswered ?? []);

/** Writes to the cache, which other tabs write too. */
function put(name: string, kept: Kept | null): void {
  const next = new Map(readCache());
  if (kept === null) next.delete(name);
  else next.set(name, kept);
  cache = next;
  if (key !== null) keep(key, JSON.stringify(Object.fromEntries(next)));
  const shown = stores.get(name);
  shown?.store.set(kept?.text ?? shown.first);
}

/** Compares the cache with what the service has. Of a change that could not be sent, the service's newer one counts. */
function agree(listed: Listed): void {
  for (const { name, version, value } of listed) take(name, version, value ?? '');
  for (const [name, kept] of cache) {
    if (listed.some((one) => one.name === name)) continue;
    put(name, kept.isUnsent ? { ...kept, version: 0 } : null);
    if (kept.isUnsent) plan(name);
  }
}

/** Takes the service's text over, and says so if it replaces a change of this browser. A change that follows that text is sent instead. */
function take(name: string, version: number, text: string): void {
  const mine = cache.get(name);
  const differs = mine?.isUnsent === true && mine.text !== text;
  if (differs && (mine.version === version || mine.unanswered?.includes(text))) {
    put(name, { ...mine, version });
    return plan(name);
  }
  put(name, { text, version, isUnsent: false });
  if (differs) tell(`It was changed in another browser meanwhile, and that one is kept. Repeat your change if you still want it.`, name);
}

function tell(message: string, name: string): void {
  notifications.show({ color: 'yellow', title: `Setting “${name.replaceAll('-', ' ')}”`, message, autoClose: 15_000 });
}

function plan(name: string): void {
  if (!isMember) return;
  clearTimeout(planned.get(name));
  planned.set(
    name,
    setTimeout(() => void send(name), SEND_AFTER_MS),
  );
}

async function send(name: string, write = api.keepSetting): Promise<void> {
  clearTimeout(planned.get(name));
  planned.delete(name);
  const [of, kept] = [key, cache.get(name)];
  if (kept?.isUnsent !== true || sending.has(name)) return;
  sending.add(name);
  put(name, { ...kept, unanswered: [...(kept.unanswered ?? []), kept.text].slice(-UNANSWERED) });
  try {
    const { version } = await write({ name, body: { version: kept.version, value: kept.text } });
    const { text } = cache.get(name) ?? kept;
    if (of === key) put(name, { text, version, isUnsent: text !== kept.text });
  } catch (error) {
    // Without an answer it is sent with the next change, or on the next visit.
    if (of === key && error instanceof ApiError) await settle(name, kept, error).catch(() => {});
  } finally {
    sending.delete(name);
  }
  if (of === key && cache.get(name)?.text !== kept.text) plan(name);
}

async function settle(name: string, kept: Kept, error: ApiError): Promise<void> {
  const found = error.status === 409 ? (await api.listSettings()).items.find((one) => one.name === name) : undefined;
  if (found !== undefined) take(name, found.version, found.value ?? '');
  else if (error.status === 409 && kept.version > 0) {
    put(name, { ...(cache.get(name) ?? kept), version: 0 });
    plan(name);
  } else if (error.status === 409 || CANNOT_BE_SENT.includes(error.status))
    tell(`It is kept in this browser only: ${describeError(error)}`, name);
}

addEventListener('storage', (event) => {
  if (event.key === key && key !== null) showCache();
});
addEventListener('online', () => [...cache.keys()].forEach((name) => void send(name)));
addEventListener('pagehide', () => [...planned.keys()].forEach((name) => void send(name, lastCall.keepSetting)));
