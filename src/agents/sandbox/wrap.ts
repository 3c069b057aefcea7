import path from 'node:path';
import { append } from '../../base/append.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { readHost, type SandboxHost } from './host.ts';
import { ETC_FILES, INPUT_DESCRIPTOR, withFiles } from './identity.ts';
import { tokenFilesIn } from './installation.ts';
import { DEFAULT_LIMITS, processLimits, type SandboxLimits } from './limits.ts';
import { AGENT_USER, insidePlaces, insideProgram, RELAY } from './places.ts';
import { systemCallFilter } from './systemCalls.ts';

/**
 * The host user that a sandbox runs as if this process is root. No distribution has an account with this number. The
 * tree and the home folder must belong to it: see `prepareFolders`.
 */
export const UNPRIVILEGED_ID = 61_000;

/**
 * The size of an in-memory file system such as /dev/shm. Its content belongs to no process, so it is only partly
 * counted and must be small.
 */
const SHARED_MEMORY_BYTES = 64 * 1024 * 1024;

/** The relay by which a sandbox, which has no network, reaches its model and the allowed hosts. */
export interface SandboxRelay {
	/** The unix socket on the host at which the relay listens. */
	socket: string;
	/** The Node that runs `program`. Its folders must be among the request's `readOnly`. */
	node: string;
	/** The program that serves the socket at `insidePlaces(…).relayUrl`: `inside.ts`, or its bundle. */
	program: string;
}

/** A folder of the host that is shown in the tree, read-only. */
export interface LentFolder {
	/** An absolute path of the host. */
	source: string;
	/** The path in the tree, with slashes. Its parent folder must exist. */
	at: string;
}

/**
 * All paths are absolute paths of the host, without links in them. Those of a virtual environment may have some: see
 * `packageFolders`.
 */
export interface SandboxRequest {
	/** The program to run. It is shown inside at the same path. */
	command: string;
	args: readonly string[];
	/** The whole environment inside. */
	env: Readonly<Record<string, string>>;
	/** A writable folder, shown inside as `insidePlaces(name).tree`. The program starts in it. */
	tree: string;
	/**
	 * The writable folders in the tree, by name, if the rest of it is read-only. They must exist. The agent can neither
	 * move them nor put anything beside them or in their place.
	 */
	treeFolders?: readonly string[] | undefined;
	/** A writable folder, shown inside as `insidePlaces(name).home`. Its folder `tmp` is /tmp. */
	home: string;
	/** The name of the repository. */
	name: string;
	relay?: SandboxRelay;
	/** Further files and folders, shown inside at the same path, read-only. Missing ones are left out. */
	readOnly: readonly string[];
	lent?: readonly LentFolder[] | undefined;
	limits?: SandboxLimits;
}

export interface SandboxedCommand {
	command: string;
	args: string[];
	/**
	 * The environment with which `command` must be started. It is exactly the one inside: the sandbox's first process has
	 * it, and the agent can read it there. It is not among the arguments, which every user of the host can read.
	 */
	env: Record<string, string>;
	/** The input for descriptor 3 of `command`: the filter of system calls. Absent if there is none. */
	furtherInput?: Buffer;
}

/**
 * Returns the command line that runs a program in a bubblewrap sandbox: an allow-list of files, no network, no process
 * of the host, and none of the system calls that `systemCallFilter` refuses. `probeSandbox` finds out whether it works
 * here; `prepareFolders` prepares the folders, and a `ResourceWatch` watches what all of its processes use together.
 * When the command's own process, or the process that started it, ends or is killed, everything in the sandbox is gone.
 * Throws a `UserFacingError` if a path cannot be shown inside.
 */
export function wrap(request: SandboxRequest, host: SandboxHost = readHost()): SandboxedCommand {
	const { bwrap, setpriv } = host.programs;
	const { env, ofLoader, program } = programInside(request, host);
	const filter = systemCallFilter(host.architecture);
	const finished = (command: readonly string[]): SandboxedCommand => ({
		...withFiles(host.programs.shell, command, filter !== undefined),
		env,
		...defined({ furtherInput: filter }),
	});
	const inner = [
		...NAMESPACES,
		...(filter === undefined ? [] : ['--seccomp', String(INPUT_DESCRIPTOR)]),
		...['--remount-ro', '/', '--chdir', insidePlaces(request.name).tree],
		...Object.entries(ofLoader).flatMap(([name, value]) => ['--setenv', name, value]),
		'--',
		...program,
	];
	if (!host.isRoot) {
		return finished([bwrap, ...mounts(request, host), ...inner]);
	}
	// A user namespace created by root maps to root, whose file permissions the agent would have. So bubblewrap runs
	// twice: as root for the mounts only, because they may lie in folders that are closed to others, then as a user
	// without any privileges for the namespaces.
	const outer = [
		...mounts(request, host),
		// The kernel lets the inner one mount its own proc only where a complete one is visible.
		...['--dev-bind', '/proc', '/proc', '--dev', '/dev', '--remount-ro', '/'],
		...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap(capability => ['--cap-add', capability]),
		// The kernel ends a process namespace with its first process. A death signal alone would not suffice: the outer
		// bubblewrap has given up its privileges, and must not signal the other user's when it dies.
		...['--unshare-pid', '--die-with-parent'],
	];
	const user = [
		...[`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups'],
		...['--inh-caps=-all', '--bounding-set=-all'],
	];
	// Only the inner one filters system calls: programs of the outer one still have to create its namespaces.
	return finished([bwrap, ...outer, '--', setpriv, ...user, bwrap, '--bind', '/', '/', ...inner]);
}

/** `--unshare-all` skips the user namespace if it cannot be created, which must be a failure instead. */
const NAMESPACES = [
	...['--unshare-all', '--unshare-user', '--disable-userns'],
	...['--uid', String(AGENT_USER.id), '--gid', String(AGENT_USER.id), '--hostname', 'agent'],
	...['--die-with-parent', '--new-session'],
	...['--proc', '/proc', '--dev', '/dev'],
	...['--perms', '1777', '--size', String(SHARED_MEMORY_BYTES), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
];

/**
 * They are links rather than mounts of the home folder's `tmp`: an agent may have replaced that by a link, which would
 * be followed outside.
 */
const TEMPORARY_FOLDERS = [
	['/tmp', `..${AGENT_USER.home}/tmp`],
	['/var/tmp', `../..${AGENT_USER.home}/tmp`],
] as const;

/** Returns the allow-list. Later mounts cover earlier ones. */
function mounts(request: SandboxRequest, host: SandboxHost): string[] {
	const places = insidePlaces(request.name);
	const list = new MountList();
	for (const entry of host.system) {
		if ('link' in entry) {
			list.link(entry.link, entry.path);
		} else {
			list.bind('--ro-bind-try', entry.source, entry.path);
		}
	}
	for (const [file, descriptor] of ETC_FILES) {
		list.addParents(file);
		list.args.push('--perms', '0644', '--ro-bind-data', String(descriptor), file);
	}
	const shown = outermost(request.readOnly);
	for (const [folder, link] of TEMPORARY_FOLDERS) {
		if (shown.some(file => isSameOrWithin(folder, file))) {
			// Anything shown below it needs a place that no agent could have prepared.
			list.addParents(folder);
			list.args.push('--perms', '1777', '--size', String(SHARED_MEMORY_BYTES), '--tmpfs', folder);
		} else {
			list.link(link, folder);
		}
	}
	for (const folder of shown) {
		if (isSameOrWithin(places.home, folder) || isSameOrWithin(path.dirname(places.tree), folder)) {
			throw new UserFacingError(
				`${folder} cannot be shown in the sandbox, where that place belongs to the agent. Install the program elsewhere.`,
			);
		}
		list.bind('--ro-bind-try', folder, folder);
	}
	if (request.relay !== undefined) {
		list.bind('--ro-bind', request.relay.program, insideProgram(request.relay.program));
		list.bind('--ro-bind', request.relay.socket, RELAY.socket);
	}
	list.bind(request.treeFolders === undefined ? '--bind' : '--ro-bind', request.tree, places.tree);
	for (const name of request.treeFolders ?? []) {
		list.args.push('--bind', path.join(request.tree, name), path.posix.join(places.tree, name));
	}
	for (const { source, at } of request.lent ?? []) {
		list.args.push('--ro-bind-try', source, path.posix.join(places.tree, at));
	}
	list.bind('--bind', request.home, places.home);
	const lent = (request.lent ?? []).map(({ source, at }) => ({ source, target: path.posix.join(places.tree, at) }));
	list.hide([...['/usr', '/usr/local', ...shown].map(folder => ({ source: folder, target: folder })), ...lent]);
	return list.args;
}

class MountList {
	readonly args: string[] = [];
	private readonly made = new Set<string>(['/']);

	bind(kind: string, source: string, target: string): void {
		this.addParents(target);
		this.args.push(kind, source, target);
		this.made.add(target);
	}

	link(content: string, target: string): void {
		this.addParents(target);
		this.args.push('--symlink', content, target);
	}

	/** Covers each file with tokens in folders that are shown by a file that nobody can read. */
	hide(folders: readonly { source: string; target: string }[]): void {
		const targets = new Set<string>();
		for (const file of folders.flatMap(({ source }) => tokenFilesIn(source))) {
			for (const { source, target } of folders.filter(folder => isSameOrWithin(folder.source, file))) {
				targets.add(path.posix.join(target, path.relative(source, file)));
			}
		}
		append(
			this.args,
			[...targets].flatMap(target => ['--ro-bind', '/dev/null', target]),
		);
	}

	/** If root starts bubblewrap, the user inside cannot enter the folders that bubblewrap creates on its own. */
	addParents(target: string): void {
		const parent = path.posix.dirname(target);
		if (!this.made.has(parent)) {
			this.addParents(parent);
			this.args.push('--perms', '0755', '--dir', parent);
			this.made.add(parent);
		}
	}
}

/** Leaves out paths that /usr or another one of the paths contains. */
function outermost(paths: readonly string[]): string[] {
	const kept: string[] = [];
	for (const candidate of [...new Set(paths)].sort()) {
		if (!['/usr', ...kept].some(folder => isSameOrWithin(folder, candidate))) {
			kept.push(candidate);
		}
	}
	return kept;
}

interface ProgramInside {
	env: Record<string, string>;
	/** Variables for the program inside only: the programs that build the sandbox would obey them too. */
	ofLoader: Record<string, string>;
	program: string[];
}

function programInside({ command, args, env, relay, limits }: SandboxRequest, host: SandboxHost): ProgramInside {
	const entries = Object.entries(env);
	const result = {
		env: Object.fromEntries(entries.filter(([name]) => !name.startsWith('LD_'))),
		ofLoader: Object.fromEntries(entries.filter(([name]) => name.startsWith('LD_'))),
	};
	const limited = [host.programs.prlimit, ...limitOptions(limits ?? DEFAULT_LIMITS, host), '--'];
	if (relay === undefined) {
		return { ...result, program: [...limited, command, ...args] };
	}
	const serve = [...limited, relay.node, insideProgram(relay.program), String(RELAY.port), RELAY.socket];
	if (!host.isElectron || 'ELECTRON_RUN_AS_NODE' in env) {
		return { ...result, program: [...serve, command, ...args] };
	}
	result.env['ELECTRON_RUN_AS_NODE'] = '1';
	return { ...result, program: [...serve, '/usr/bin/env', '-u', 'ELECTRON_RUN_AS_NODE', command, ...args] };
}

/** A limit is set here, inside: in a user namespace, the kernel counts only its processes, not all of the user's. */
function limitOptions(limits: SandboxLimits, { hardLimits }: SandboxHost): string[] {
	return processLimits(limits).map(
		({ option, name, value }) => `--${option}=${Math.min(value, hardLimits[name] ?? Number.POSITIVE_INFINITY)}`,
	);
}
