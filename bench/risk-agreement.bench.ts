/**
 * Compares the pre-trade risk function with its naive oracle on a million random orders. Tests correctness, not speed.
 * `--orders <n>` and `--seed <n>` choose others. Exits with 1 at the first difference.
 */
import { parseArgs } from 'node:util';
import { difference } from '../test/domain/risk/agreement.ts';
import { randomCases } from '../test/domain/risk/random-cases.ts';
import { cpuMicroseconds } from './harness.ts';

const { values } = parseArgs({ options: { orders: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } } });
const orders = Number(values.orders);
const next = randomCases(Number(values.seed));
/** Amount in dollars above which a double cannot represent every micro-dollar. */
const EXACT_USD = 2 ** 52 / 1e6;

let beyondSimulators = 0;
const began = cpuMicroseconds();
for (let order = 1; order <= orders; order++) {
  const each = next();
  const wrong = difference(each);
  if (wrong !== null) {
    process.stdout.write(`order ${order} of seed ${values.seed}: ${wrong}\n${JSON.stringify(each)}\n`);
    process.exit(1);
  }
  if (Number(each.order.notionalUsd) >= EXACT_USD) beyondSimulators++;
  if (order % 100_000 === 0) process.stderr.write(`${order} orders agree\n`);
}
const seconds = (cpuMicroseconds() - began) / 1e6;
process.stdout.write(
  `${orders} orders of seed ${values.seed} agree; ${beyondSimulators} of them beyond exact doubles; ${seconds.toFixed(0)} s of processor time\n`,
);
