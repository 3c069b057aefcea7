import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..', '..');

/** The folder of everything that the scripts install or build. It is outside node_modules, which `npm ci` wipes. */
export const cache = path.join(root, '.cache');
