import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../src/base/errors.ts';

/** Returns the files below a folder that contain one of the texts, in any encoding, or have it in their path. */
export function filesWith(folder: string, ...texts: string[]): string[] {
	const spellings = texts.flatMap(text => [Buffer.from(text), Buffer.from(text, 'utf16le')]);
	return globSync('**/*', { cwd: folder, withFileTypes: true })
		.filter(entry => entry.isFile())
		.map(entry => path.join(entry.parentPath, entry.name))
		.filter(file => {
			const bytes = readIfThere(file);
			const name = path.relative(folder, file);
			return texts.some(text => name.includes(text)) || spellings.some(spelling => bytes.includes(spelling));
		});
}

/** Reads a file that may be gone, because a running editor removes its own files while they are listed. */
function readIfThere(file: string): Buffer {
	try {
		return readFileSync(file);
	} catch (error) {
		if (systemErrorCode(error) !== 'ENOENT') {
			throw error;
		}
		return Buffer.alloc(0);
	}
}
