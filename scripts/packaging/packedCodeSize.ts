import fs from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { BOM_FILE } from './softwareBom.ts';
import { NOTICES_FILE } from './thirdPartyNotices.ts';

/** The limit for the size of all code of the package as it is packed, in bytes. */
export const CODE_LIMIT = 1.2 * 1024 * 1024;

/** Returns the total size of the code in the folder `dist` of an extension in bytes, with each file as it is packed. */
export function packedCodeSize(extension: string): number {
	return fs
		.globSync('dist/**', { cwd: extension, withFileTypes: true })
		.filter(entry => entry.isFile() && ![NOTICES_FILE, BOM_FILE].includes(entry.name))
		.map(entry => deflateRawSync(fs.readFileSync(path.join(entry.parentPath, entry.name)), { level: 9 }).length)
		.reduce((sum, size) => sum + size, 0);
}
