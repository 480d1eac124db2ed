/**
 * Cleans up after each file. Files share a process and its modules: listed tokens are removed from the catalog, replaced globals come back,
 * processes that the file left are killed, and databases are dropped.
 */
import { afterAll, expect, vi } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { killLeft } from './launched.ts';
import { dropTestDatabases } from './postgres.ts';

afterAll(async () => {
  CATALOG.list([]);
  vi.unstubAllGlobals();
  const left = killLeft();
  await dropTestDatabases();
  expect(left, 'processes that this file left running').toEqual([]);
});
