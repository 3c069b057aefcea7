import * as z from 'zod';
import { gitGrep } from './gitGrep.ts';
import { placeIn } from './place.ts';
import { defineTool } from './tool.ts';

const MAXIMUM_OUTPUT = 20_000;
const MAXIMUM_MATCHES_PER_FILE = 50;

export const search = defineTool({
	name: 'search',
	description: 'Searches files that git does not ignore by a POSIX extended regular expression.',
	schema: z.object({
		pattern: z.string().min(1),
		path: z.string().min(1).default('.'),
		ignore_case: z.boolean().default(false),
	}),
	kind: 'search',
	needsPermission: false,
	show: ({ pattern, path }) => ({ title: `Search "${pattern}"${path === '.' ? '' : ` in ${path}`}`, paths: [path] }),
	async run({ pattern, path, ignore_case: ignoresCase }, context) {
		const { relative } = await placeIn(context.folder, path);
		const how = ['-n', '-I', '-E', '--no-color', '--no-textconv', `--max-count=${MAXIMUM_MATCHES_PER_FILE}`];
		const what = [...how, ...(ignoresCase ? ['-i'] : []), '-e', pattern, '--', `:(literal)${relative}`];
		const text = await gitGrep(what, MAXIMUM_OUTPUT, context);
		return { text: text === '' ? 'Nothing was found.' : text };
	},
});
