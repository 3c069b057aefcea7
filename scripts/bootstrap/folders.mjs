import path from 'node:path';
import { fileURLToPath } from 'node:url';

// An old Node has no `import.meta.dirname`, and has to get as far as the sentence that says which one is needed.
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The folder of everything that the scripts install or build. It is outside node_modules, which `npm ci` wipes. */
export const cache = path.join(root, '.cache');
