import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { ToolFailure } from '../failures.ts';
import { gitGrep } from './gitGrep.ts';
import { defineTool } from './tool.ts';

const MAXIMUM_FILES = 300;

/** The maximum characters of all names that are examined, and the mark where some were left out. */
const MAXIMUM_NAMES = 2_000_000;
const LEFT_OUT = '\n[… ';

export const glob = defineTool({
	name: 'glob',
	description: 'Finds files that git does not ignore by a pattern such as src/**/*.ts.',
	schema: z.object({
		pattern: z.string().min(1),
		sort: z.enum(['path', 'time']).default('path'),
	}),
	kind: 'search',
	needsPermission: false,
	show: ({ pattern }) => ({ title: `Find ${pattern}` }),
	async run({ pattern: named, sort }, context) {
		const pattern = within(context.folder, named);
		// Every file either has a line, even if an empty one, or is empty itself.
		const [filled, empty] = await Promise.all(
			['-l', '-L'].map(which => gitGrep([which, '-z', '-e', '', '--', `:(glob)${pattern}`], MAXIMUM_NAMES, context)),
		);
		const found = `${filled}${empty}`.split('\0').filter(name => name !== '');
		if (found.some(name => name.includes(LEFT_OUT))) {
			throw new ToolFailure('The pattern fits too many files. Name a folder in it.');
		}
		const sorted = sort === 'path' ? found.sort() : await newestFirst(found, context.folder);
		const rest = sorted.length > MAXIMUM_FILES ? `\n(${sorted.length - MAXIMUM_FILES} more)` : '';
		return { text: found.length === 0 ? 'Nothing was found.' : sorted.slice(0, MAXIMUM_FILES).join('\n') + rest };
	},
});

/** Returns a pattern relative to the folder. Throws a ToolFailure for one that leads out of it. */
function within(folder: string, pattern: string): string {
	const inside = pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : pattern;
	if (path.isAbsolute(inside) || inside.split(/[/\\]/).includes('..')) {
		throw new ToolFailure(`${pattern} leads out of the working folder, which is not allowed.`);
	}
	return inside;
}

async function newestFirst(names: readonly string[], folder: string): Promise<string[]> {
	const times = await Promise.all(
		names.map(async name => ({
			name,
			time: await stat(path.join(folder, name)).then(
				({ mtimeMs }) => mtimeMs,
				() => 0,
			),
		})),
	);
	return times.sort((one, other) => other.time - one.time).map(({ name }) => name);
}
