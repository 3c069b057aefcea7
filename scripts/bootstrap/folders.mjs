import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..', '..');

/** Everything the scripts install or make lives here, outside node_modules, which `npm ci` wipes. */
export const cache = path.join(root, '.cache');
