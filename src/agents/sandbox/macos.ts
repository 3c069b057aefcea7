// The sandbox of macOS: a profile for `sandbox-exec`, made from the same request as bubblewrap's command line. It has
// no namespaces, so paths are those of the host, and the network is the machine's own, restricted to one port.
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { isSameOrWithin } from '../../base/filePlace.ts';
import { tokenFilesIn } from './installation.ts';
import type { SandboxedCommand, SandboxRequest } from './wrap.ts';

export interface MacosRequest
	extends Pick<SandboxRequest, 'command' | 'args' | 'env' | 'tree' | 'treeFolders' | 'home' | 'readOnly'> {
	/** The address of the relay, which must be on this machine. Absent if the sandbox has none. */
	relayUrl?: string | undefined;
}

/** The folders that the system's programs need. `/System` as a whole would show users' files again, below `Volumes`. */
const SYSTEM_FOLDERS = [
	...['/usr', '/bin', '/sbin', '/System/Library', '/System/iOSSupport', '/System/Cryptexes', '/Library/Apple'],
	...['/System/Volumes/Preboot/Cryptexes', '/Library/Developer/CommandLineTools'],
	...['/Applications/Xcode.app/Contents/Developer', '/private/var/db/timezone', '/private/var/db/dyld'],
	...['/private/var/select', '/private/var/db/xcode_select_link', '/private/etc/localtime', '/private/etc/services'],
	...['/private/etc/protocols', '/private/etc/ssl/cert.pem', '/private/etc/ssl/openssl.cnf'],
];

/** The links by which programs reach folders of `/private`. */
const SYSTEM_LINKS = ['/etc', '/tmp', '/var'];

const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/dtracehelper', '/dev/autofs_nowait'];

/**
 * Rules that do not depend on the request. Of the system's services, only the one that names users can be reached:
 * others open programs outside the sandbox, and read keys or the clipboard.
 */
const FIXED_RULES = [
	'(allow process-fork)',
	'(allow signal (target same-sandbox))',
	'(allow process-info* (target same-sandbox))',
	'(allow mach-host*)',
	'(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
	'(allow ipc-posix-sem)',
	'(allow sysctl-read (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name-prefix "kern.os")' +
		' (sysctl-name "kern.argmax") (sysctl-name "kern.hostname") (sysctl-name "kern.maxfilesperproc")' +
		' (sysctl-name "kern.secure_kernel") (sysctl-name "kern.usrstack64") (sysctl-name "kern.version")' +
		' (sysctl-name "sysctl.proc_cputype") (sysctl-name "vm.loadavg"))',
	// The loader lists the top folder of the disk.
	'(allow file-read-data (literal "/"))',
	'(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
	'(allow file-read-data file-write-data (subpath "/dev/fd"))',
	'(allow file-ioctl (literal "/dev/dtracehelper"))',
];

/**
 * Returns the profile: everything that it does not allow is refused, and the last matching rule applies. Throws a
 * `UserFacingError` if a path cannot be written in a profile.
 */
export function macosProfile({ tree, treeFolders, home, readOnly, relayUrl }: MacosRequest): string {
	const shown = [...SYSTEM_FOLDERS, ...readOnly.map(bundleOf), tree, home];
	const written = [...(treeFolders?.map(name => path.join(tree, name)) ?? [tree]), home];
	const ancestors = new Set(shown.flatMap(ancestorsOf));
	const tokens = readOnly
		.concat('/usr', '/usr/local')
		.flatMap(folder => tokenFilesIn(folder))
		.filter(file => ![tree, home].some(own => isSameOrWithin(own, file)));
	return [
		'(version 1)',
		'(deny default)',
		...FIXED_RULES,
		rule('allow', 'process-exec* file-map-executable', 'subpath', shown),
		rule('allow', 'file-read*', 'subpath', shown),
		rule('allow', 'file-read*', 'literal', [...SYSTEM_LINKS, ...DEVICES]),
		// Programs examine each folder on the way to those they are shown. They cannot list it.
		rule('allow', 'file-read-metadata', 'literal', [...ancestors]),
		rule('allow', 'file-write*', 'subpath', written),
		...(tokens.length === 0 ? [] : [rule('deny', 'file-read*', 'literal', tokens)]),
		...written.flatMap(folder => [
			`(allow network-outbound (remote unix-socket (subpath ${quoted(folder)})))`,
			`(allow network-bind (local unix-socket (subpath ${quoted(folder)})))`,
		]),
		...(relayUrl === undefined
			? []
			: [`(allow network-outbound (remote ip "localhost:${Number(new URL(relayUrl).port)}"))`]),
		'',
	].join('\n');
}

/**
 * The shell closes descriptors that this process inherited and passes on unknowingly: through one, an agent could use
 * an open file of the host. Then it becomes the sandbox.
 */
const SCRIPT = [
	'for file in /dev/fd/*; do',
	// The expression belongs to the shell, not to this file: it stands for the last part of the path.
	`descriptor=\${file##*/}`,
	'[ "$descriptor" -le 2 ] || eval "exec $descriptor>&-"',
	'done',
	'ulimit -c 0',
	'exec "$@"',
].join('\n');

/**
 * Returns the command line that runs a program in the sandbox. It must be started in a folder that is shown. Programs
 * that it leaves running do not end with it; they stay confined.
 */
export function wrapMacos(request: MacosRequest): SandboxedCommand {
	const { command, args, env, home } = request;
	const sandbox = ['/usr/bin/sandbox-exec', '-p', macosProfile(request), command, ...args];
	return {
		command: '/bin/bash',
		args: ['--norc', '-p', '-c', SCRIPT, 'sandbox', ...sandbox],
		env: { ...env, TMPDIR: path.join(home, 'tmp') },
	};
}

/** A program of an application, such as the editor's own Node, needs the frameworks of its bundle. */
function bundleOf(folder: string): string {
	return /^.*?\.app(?=\/Contents\/)/.exec(folder)?.[0] ?? folder;
}

function ancestorsOf(folder: string): string[] {
	const parent = path.dirname(folder);
	return parent === folder ? [] : [parent, ...ancestorsOf(parent)];
}

function rule(decision: string, operations: string, filter: string, paths: readonly string[]): string {
	return `(${decision} ${operations} ${[...new Set(paths)].map(file => `(${filter} ${quoted(file)})`).join(' ')})`;
}

function quoted(file: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
	if (/[\u0000-\u001f\u007f]/.test(file)) {
		throw new UserFacingError(`${file} cannot be shown in the sandbox, because of a control character in its path.`);
	}
	return `"${file.replace(/["\\]/g, '\\$&')}"`;
}
