// MCP servers declared as `npx <package>`. A sandbox cannot reach a registry, so the package is installed beforehand,
// with the user's own npm and without scripts, and kept at that version: the server that was agreed to runs.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { isWithin } from '../../base/filePlace.ts';
import { temporaryName } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import type { McpServerSetting } from '../../contract/mcpServers.ts';
import { runNpm } from '../install/npm.ts';

/** A package as `npx` names it, and the arguments of its program. */
export interface ServerPackage {
	/** The package, such as `@scope/name@1.2.3` or `name`. */
	wanted: string;
	args: readonly string[];
}

const FLAGS: ReadonlySet<string> = new Set(['-y', '--yes']);
/** Matches a name with a version or a tag, but not addresses, folders or aliases, whose content could change. */
const PACKAGE = /^(?<name>(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@[\w.^~+-]+)?$/i;

/** Returns the package of a server that is declared as `npx`, or undefined for any other command. */
export function packageOf({ command, args }: Pick<McpServerSetting, 'command' | 'args'>): ServerPackage | undefined {
	if (command !== 'npx') {
		return undefined;
	}
	const at = args.findIndex(argument => !FLAGS.has(argument));
	const wanted = args[at] ?? '';
	return PACKAGE.test(wanted) ? { wanted, args: args.slice(at + 1) } : undefined;
}

/** Commands that download what they start, each time or the first time, unless an argument forbids it. */
const DOWNLOADERS: ReadonlySet<string> = new Set(['npx', 'uvx', 'pipx', 'bunx']);
const NO_DOWNLOAD = /^--(?:no|no-install|offline)$/;

/** Returns whether a server in a sandbox could not start, as its command would first have to download it. */
export function needsDownload(server: McpServerSetting): boolean {
	const { command, args, hosts } = server;
	const isDownloader = DOWNLOADERS.has(command) && !args.some(argument => NO_DOWNLOAD.test(argument));
	return isDownloader && hosts.length === 0 && packageOf(server) === undefined;
}

/** Returns the folder of a package below `folder`. */
const folderOf = (folder: string, wanted: string): string => path.join(folder, encodeURIComponent(wanted));

/**
 * Installs a package below `folder` if it is missing, and resolves with the path of its program. Rejects with the
 * signal's reason, or with a UserFacingError.
 */
export async function installServerPackage(
	{ wanted }: ServerPackage,
	place: { folder: string; environment: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<string> {
	const target = folderOf(place.folder, wanted);
	if (!existsSync(target)) {
		const temporary = temporaryName(target);
		const root = path.join(temporary, 'root');
		try {
			await mkdir(root, { recursive: true, mode: 0o700 });
			await writeFile(path.join(root, 'package.json'), '{ "private": true }');
			const { environment, signal } = place;
			await runNpm({ folder: root, package: wanted, cache: path.join(temporary, 'cache'), environment, signal });
			// Another run of the agent may have installed it meanwhile.
			await rename(root, target).catch(error => {
				if (!existsSync(target)) {
					throw error;
				}
			});
		} catch (error) {
			place.signal.throwIfAborted();
			const reason = error instanceof UserFacingError ? error.message : 'its files could not be written.';
			throw new UserFacingError(`${wanted} was not installed: ${reason}`, { cause: error });
		} finally {
			await rm(temporary, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
		}
	}
	return programOf(target, wanted);
}

async function programOf(folder: string, wanted: string): Promise<string> {
	const name = PACKAGE.exec(wanted)?.groups?.['name'] ?? '';
	const own = path.join(folder, 'node_modules', name);
	const described = parseJson(await readFile(path.join(own, 'package.json'), 'utf8').catch(() => ''));
	const bin = isFields(described) ? described['bin'] : undefined;
	const programs = isFields(bin) ? bin : { [path.basename(name)]: bin };
	const program = programs[path.basename(name)] ?? Object.values(programs)[0];
	const file = typeof program === 'string' ? path.join(own, program) : own;
	// A package may name any file of the machine, and what lies beside its program is shown to it.
	if (!isWithin(own, file)) {
		throw new UserFacingError(`${wanted} has no program that could be started. Check the name of the package.`);
	}
	return file;
}
