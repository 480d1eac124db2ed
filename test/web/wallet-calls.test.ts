// Calls that a wallet of the browser signs and sends: what was sent is never lost, and nothing is sent that is no longer wanted.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

interface Call {
  readonly method: string;
}
type SendCall = (wallet: object, call: object, assertCurrent: () => void) => Promise<string>;
/** Module of the pages, whose types are outside of these. */
const { sendCall } = (await import(new URL('../../web/terminal/wallet/standards.ts', import.meta.url).href)) as { sendCall: SendCall };

const HASH = `0x${'a'.repeat(64)}`;
const CALL = { chainId: 998, from: '0x01', to: '0x02', data: '0x03', value: '0' };

/** Returns a wallet that sends, and whose node answers about the sent transaction by `look`. */
function createWallet(look: () => Promise<unknown>, asked: string[] = []) {
  const answers: { readonly [method: string]: () => Promise<unknown> } = {
    eth_requestAccounts: async () => [CALL.from],
    eth_chainId: async () => '0x3e6',
    eth_sendTransaction: async () => HASH,
    eth_getTransactionByHash: look,
  };
  const request = ({ method }: Call) => {
    asked.push(method);
    return answers[method]?.();
  };
  return { id: 'w', name: 'Wallet', chain: 'evmvenue', provider: { request } };
}

const sent = (to: string) => ({ chainId: '0x3e6', from: CALL.from, to, input: CALL.data, value: '0x0' });
const always = () => {};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a node that refuses the look at a sent transaction costs neither its hash nor its check', async () => {
  const never = sendCall(
    createWallet(async () => {
      throw new Error('rate limited');
    }),
    CALL,
    always,
  );
  const looks = [() => Promise.reject(new Error('rate limited')), async () => sent('0x99')];
  const other = sendCall(
    createWallet(() => looks.shift()?.() ?? Promise.resolve(null)),
    CALL,
    always,
  );
  const refused = expect(other).rejects.toThrow('recipient: expected 0x02, got 0x99');
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(await never).toBe(HASH);
});

test('a call whose quote expired while the wallet was asked is not sent', async () => {
  const asked: string[] = [];
  const expired = sendCall(
    createWallet(async () => sent(CALL.to), asked),
    CALL,
    () => {
      throw new Error('expired');
    },
  );
  await expect(expired).rejects.toThrow('expired');
  expect(asked).not.toContain('eth_sendTransaction');
});
