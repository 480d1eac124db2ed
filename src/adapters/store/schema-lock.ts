/**
 * The advisory lock under which the shape of a database changes and its writers are registered, one process at a time per
 * database. Any constant. Processes that start at once would otherwise wait for each other's tables in a circle.
 */
export const SCHEMA_LOCK = 7_070_707;
