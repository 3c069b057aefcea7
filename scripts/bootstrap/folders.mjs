import path from 'node:path';
import { fileURLToPath } from 'node:url';

// An old Node has no `import.meta.dirname`, but must still get as far as the message about the version that is needed.
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The folder of everything that the scripts install or build. It is outside node_modules, which `npm ci` wipes. */
export const cache = path.join(root, '.cache');
