import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the version in the nearest `package.json` above the program, which is the extension's own. */
export function programVersion(programFile: string): string {
	for (let folder = path.dirname(programFile); ; folder = path.dirname(folder)) {
		try {
			const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version?: unknown };
			return typeof version === 'string' ? version : '0.0.0';
		} catch {
			if (folder === path.dirname(folder)) {
				return '0.0.0';
			}
		}
	}
}
