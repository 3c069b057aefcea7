import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import { ToolFailure } from '../failures.ts';
import { placeIn } from './place.ts';
import { defineTool } from './tool.ts';

const MAXIMUM_ENTRIES = 500;

export const list = defineTool({
	name: 'list',
	description: 'Lists a folder.',
	schema: z.object({ path: z.string().min(1).default('.') }),
	kind: 'read',
	needsPermission: false,
	show: ({ path }) => ({ title: `List ${path}`, paths: [path] }),
	async run({ path }, { folder }) {
		const place = await placeIn(folder, path);
		const entries = await readdir(place.absolute, { withFileTypes: true }).catch((error: unknown) => {
			throw new ToolFailure(
				systemErrorCode(error) === 'ENOTDIR' ? `${place.relative} is a file.` : `${place.relative} does not exist.`,
			);
		});
		const names = entries
			.filter(({ name }) => name !== '.git')
			.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name))
			.sort();
		const rest = names.length > MAXIMUM_ENTRIES ? `\n(${names.length - MAXIMUM_ENTRIES} more)` : '';
		return { text: names.length === 0 ? 'The folder is empty.' : names.slice(0, MAXIMUM_ENTRIES).join('\n') + rest };
	},
});
