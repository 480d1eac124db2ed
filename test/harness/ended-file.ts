/**
 * Cleans up after each file. Files share a process and its modules: listed tokens are removed from the catalog, and databases are dropped.
 */
import { afterAll } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { dropTestDatabases } from './postgres.ts';

afterAll(async () => {
  CATALOG.list([]);
  await dropTestDatabases();
});
