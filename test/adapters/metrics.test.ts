// Node.js metrics: the first scrape starts the measurement and already reports values.
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/adapters/log/metrics.ts';

test('the first scrape reports the delay of the event loop, and two scrapes at once measure once', async () => {
  const metrics = createMetrics();
  const rendered = Promise.all([metrics.render(), metrics.render()]);
  // A loop that is held meanwhile has all timers due at once.
  for (const until = performance.now() + 300; performance.now() < until; );
  const [text] = await rendered;
  const lags = [...text.matchAll(/^nodejs_eventloop_lag_(min|mean|max|p50|p99)_seconds (\S+)$/gm)].map(([, , value]) => Number(value));
  expect(lags).toHaveLength(5);
  for (const lag of lags) {
    expect(lag).toBeGreaterThan(0);
    // Without a measurement the minimum is the largest possible number.
    expect(lag).toBeLessThan(60);
  }
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
});
