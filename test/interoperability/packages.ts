import { createRequire } from 'node:module';
import path from 'node:path';

const bench = path.resolve('bench');
const require = createRequire(path.join(bench, 'package.json'));

/** A package of somebody else. Not typed: it is installed with the benches only. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export function load(name: string): any {
	return require(name);
}

/** A file of such a package. */
export function fileOf(name: string, file: string): string {
	return path.join(bench, 'node_modules', name, file);
}
