import * as z from 'zod';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { runChild } from '../../base/childProcess.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { safeArguments, safeEnvironment } from '../../base/gitConfiguration.ts';
import { KeptOutput } from './keptOutput.ts';
import { placeIn } from './place.ts';
import { defineTool, type ToolContext, ToolFailure } from './tool.ts';

const MAXIMUM_OUTPUT = 20_000;
const MAXIMUM_MATCHES_PER_FILE = 50;
const LIMIT_MS = 30_000;

/** What git answers for an expression that it cannot read. */
const FAILED = 128;

export const search = defineTool({
	name: 'search',
	description:
		'Searches the text of the files that git does not ignore, by a POSIX extended regular expression. Results are path:line:text.',
	schema: z.object({
		pattern: z.string().min(1).describe('A POSIX extended regular expression, matched against each line'),
		path: z.string().min(1).default('.').describe('A file or folder to search in'),
		ignore_case: z.boolean().default(false),
	}),
	kind: 'search',
	needsPermission: false,
	show: ({ pattern, path }) => ({ title: `Search "${pattern}"${path === '.' ? '' : ` in ${path}`}`, paths: [path] }),
	async run({ pattern, path, ignore_case: ignoresCase }, context) {
		const { relative } = await placeIn(context.folder, path);
		const how = ['-n', '-I', '-E', '--no-color', '--no-textconv', `--max-count=${MAXIMUM_MATCHES_PER_FILE}`];
		const what = [...how, ...(ignoresCase ? ['-i'] : []), '-e', pattern, '--', `:(literal)${relative}`];
		// With its index, git would search wherever the repository's own configuration says that its files are.
		const found = await grep(['--no-index', '--exclude-standard', ...what], context);
		if (found.exitCode === FAILED) {
			throw new ToolFailure(`The search failed: ${found.text.trim()}`);
		}
		return { text: found.text === '' ? 'Nothing was found.' : found.text };
	},
});

async function grep(
	args: readonly string[],
	{ folder, signal }: ToolContext,
): Promise<{ exitCode: number | undefined; text: string }> {
	const output = new KeptOutput(MAXIMUM_OUTPUT);
	const limit = AbortSignal.timeout(LIMIT_MS);
	try {
		const { exitCode } = await runChild({
			command: 'git',
			args: [...safeArguments(), 'grep', ...args],
			cwd: folder,
			env: childEnvironment(process.env, safeEnvironment('none')),
			signal: AbortSignal.any([signal, limit]),
			onOutput: (_, bytes) => output.add(bytes),
		});
		return { exitCode, text: output.text() };
	} catch (error) {
		signal.throwIfAborted();
		if (limit.aborted) {
			throw new ToolFailure(`The search did not end within ${LIMIT_MS / 1000} seconds. Search in a smaller folder.`);
		}
		if (systemErrorCode(error) === 'ENOENT') {
			throw new ToolFailure('git is not installed here, so nothing can be searched. Use run with grep instead.');
		}
		throw error;
	}
}
