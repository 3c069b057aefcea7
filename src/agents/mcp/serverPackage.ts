// MCP servers declared as `npx <package>` or `uvx <package>`. A sandbox cannot reach a registry, so the package is
// installed beforehand, with the user's own npm or uv and without running anything of it, and kept at that version: the
// server that was agreed to runs.
import { existsSync } from 'node:fs';
import { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { isWithin } from '../../base/filePlace.ts';
import { readStart } from '../../base/files.ts';
import { parseJson } from '../../base/json.ts';
import { oneLine } from '../../base/plainText.ts';
import type { McpServerSetting } from '../../contract/mcpServers.ts';
import { type InstallerRun, installInto } from '../install/installer.ts';
import { runNpm } from '../install/npm.ts';
import { runUv } from '../install/uv.ts';

/** A package as `npx` or `uvx` names it, and the arguments of its program. */
export interface ServerPackage {
	installer: 'npm' | 'uv';
	/** The package, such as `@scope/name@1.2.3` or `name`. */
	wanted: string;
	/** The name of its program, where that is settled. */
	program?: string;
	args: readonly string[];
}

/** The command that starts the program of a package. */
export interface PackageProgram {
	command: string;
	/** The arguments before those of the program. */
	args: readonly string[];
	/** The files that a sandbox must show in addition. */
	files: readonly string[];
}

const FLAGS: ReadonlySet<string> = new Set(['-y', '--yes']);
/** Matches a name with a version or a tag, but not addresses, folders or aliases, whose content could change. */
const PACKAGE = /^(?<name>(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@[\w.^~+-]+)?$/i;
/** The same for a package of Python, which may have further parts; `uvx` takes a range only behind `--from`. */
const PYTHON_PACKAGE =
	/^(?<name>[a-z0-9](?:[\w.-]*[a-z0-9])?)(?<parts>\[[\w,.-]+\])?(?:@(?<version>[\w.+!-]+)|(?<range>(?:[=~<>!]=|[<>])[\w.*+!,=<>~-]+))?$/i;
const PROGRAM = /^\w[\w.-]*$/;
const MAXIMUM_NAMES = 200;

/** Returns the package of a server that is declared as `npx` or `uvx`, or undefined for any other command. */
export function packageOf({ command, args }: Pick<McpServerSetting, 'command' | 'args'>): ServerPackage | undefined {
	// On Windows, where there is no sandbox, uv makes programs that cannot be moved.
	if (command === 'uvx' && process.platform !== 'win32') {
		return pythonPackageOf(args);
	}
	if (command !== 'npx') {
		return undefined;
	}
	const at = args.findIndex(argument => !FLAGS.has(argument));
	const wanted = args[at] ?? '';
	return PACKAGE.test(wanted) ? { installer: 'npm', wanted, args: args.slice(at + 1) } : undefined;
}

function pythonPackageOf(args: readonly string[]): ServerPackage | undefined {
	const [, joined] = /^--from=(.*)$/.exec(args[0] ?? '') ?? [];
	const isNamed = joined !== undefined || args[0] === '--from';
	const [wanted = '', ...rest] = joined === undefined ? args.slice(isNamed ? 1 : 0) : [joined, ...args.slice(1)];
	const { name, range } = PYTHON_PACKAGE.exec(wanted)?.groups ?? {};
	const program = isNamed ? rest.shift() : name;
	const isUsable = program !== undefined && PROGRAM.test(program) && (isNamed || range === undefined);
	return name !== undefined && isUsable ? { installer: 'uv', wanted, program, args: rest } : undefined;
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

/** Returns the folder of a package below `folder`. No package of npm has a name with a space in it. */
const folderOf = (folder: string, { installer, wanted }: ServerPackage): string =>
	path.join(folder, encodeURIComponent(installer === 'npm' ? wanted : `uv ${wanted}`));

/**
 * Installs a package below `folder` if it is missing, and resolves with what starts its program. `outside` are absolute
 * paths of repositories, whose npm or uv is not used. Rejects with the signal's reason, or with a UserFacingError.
 */
export async function installServerPackage(
	wanted: ServerPackage,
	place: Omit<InstallerRun, 'cache'>,
): Promise<PackageProgram> {
	const target = folderOf(place.folder, wanted);
	if (!existsSync(target)) {
		await installInto(target, wanted.wanted, place.signal, async (folder, cache) => {
			const run = { ...place, folder, cache };
			if (wanted.installer === 'npm') {
				await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
				await runNpm({ ...run, package: wanted.wanted });
			} else {
				await runUv({ ...run, requirement: requirementOf(wanted.wanted) });
			}
		});
	}
	return wanted.installer === 'npm' ? nodeProgram(target, wanted) : pythonProgram(target, wanted);
}

/** Returns a package as uv installs it. */
function requirementOf(wanted: string): string {
	const { name = '', parts = '', version, range = '' } = PYTHON_PACKAGE.exec(wanted)?.groups ?? {};
	return `${name}${parts}${version === undefined || version === 'latest' ? range : `==${version}`}`;
}

async function nodeProgram(folder: string, { wanted }: ServerPackage): Promise<PackageProgram> {
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
	return { command: process.execPath, args: [file], files: [file] };
}

/** The first line of a script names the place where it was installed, so its Python is started with it instead. */
async function pythonProgram(folder: string, { wanted, program = '' }: ServerPackage): Promise<PackageProgram> {
	const name = (PYTHON_PACKAGE.exec(wanted)?.groups?.['name'] ?? '').toLowerCase().replace(/[-_.]+/g, '-');
	const bin = path.join(folder, 'tools', name, 'bin');
	const [python, file] = [path.join(bin, 'python'), path.join(bin, program)];
	// A package that has put a file in the place of the link to the Python could have any other file shown by it.
	if (!(await lstat(python).catch(() => undefined))?.isSymbolicLink()) {
		throw new UserFacingError(`${wanted} has no Python of its own. Check that uv tool install works in a terminal.`);
	}
	if (!existsSync(python)) {
		throw new UserFacingError(
			`the Python with which ${wanted} was installed is gone. Install that Python again, as with uv python install.`,
		);
	}
	if (!(await stat(file).catch(() => undefined))?.isFile()) {
		const names = (await readdir(path.join(folder, 'bin')).catch(() => [])).filter(each => PROGRAM.test(each));
		throw new UserFacingError(
			`${wanted} has no program “${program}”, but ${oneLine(names.join(', '), MAXIMUM_NAMES)}. Declare it as uvx --from ${wanted} with one of these.`,
		);
	}
	return { ...((await isScript(file)) ? { command: python, args: [file] } : { command: file, args: [] }), files: [] };
}

const isScript = async (file: string): Promise<boolean> => (await readStart(file, 2)) === '#!';
