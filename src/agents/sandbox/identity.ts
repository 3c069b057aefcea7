// The files of /etc that describe the user and name resolution. They are the sandbox's own, as those of the host name
// its users, its services and its network.
import path from 'node:path';
import { AGENT_USER } from './places.ts';

/** No text contains anything that a here-document would expand, or the line that ends one. */
const TEXTS = {
	'/etc/passwd': [
		`${AGENT_USER.name}:x:${AGENT_USER.id}:${AGENT_USER.id}:${AGENT_USER.name}:${AGENT_USER.home}:/bin/sh`,
		'nobody:x:65534:65534:nobody:/:/bin/false',
	],
	'/etc/group': [`${AGENT_USER.name}:x:${AGENT_USER.id}:`, 'nogroup:x:65534:'],
	'/etc/hosts': ['127.0.0.1 localhost agent', '::1 localhost'],
	// Nothing answers there, so a look-up fails at once.
	'/etc/resolv.conf': ['nameserver 127.0.0.1', 'options timeout:1 attempts:1'],
	'/etc/nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns', 'services: files', 'protocols: files'],
} as const;

/** The descriptor for the command's further input besides its standard input (`StartOptions.furtherInput`). */
export const INPUT_DESCRIPTOR = 3;
const FIRST_DESCRIPTOR = INPUT_DESCRIPTOR + 1;

/** The paths inside, each with the descriptor from which bubblewrap reads the file. */
export const ETC_FILES: readonly (readonly [string, number])[] = Object.keys(TEXTS).map(
	(file, index) => [file, FIRST_DESCRIPTOR + index] as const,
);

/**
 * The shell opens the files for bubblewrap and then becomes it. First it closes descriptors that this process inherited
 * and passes on unknowingly, those above its first argument: through one, an agent could use an open file of the host.
 * A shell that cannot close one ends here. The kernel ends a process with a higher score earlier when memory runs out.
 */
const SCRIPT = [
	'last=$1; shift',
	'for file in /proc/$$/fd/*; do',
	// The expression belongs to the shell, not to this file: it stands for the last part of the path.
	`descriptor=\${file##*/}`,
	'[ "$descriptor" -le "$last" ] || eval "exec $descriptor>&-"',
	'done',
	'{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null',
	`exec "$@" ${ETC_FILES.map(([, descriptor]) => `${descriptor}<<'E${descriptor}'`).join(' ')}`,
	...Object.values(TEXTS).flatMap((lines, index) => [...lines, `E${FIRST_DESCRIPTOR + index}`]),
	'',
].join('\n');

/** Returns the command that runs another one with these files open, and `INPUT_DESCRIPTOR` if the command reads it. */
export function withFiles(
	shell: string,
	command: readonly string[],
	hasInput: boolean,
): { command: string; args: string[] } {
	// Bash would otherwise run whatever some variables of the agent's environment name, and the user's own .bashrc if its
	// input is a socket.
	const options = path.basename(shell) === 'bash' ? ['--norc', '-p'] : [];
	return {
		command: shell,
		args: [...options, '-c', SCRIPT, 'sandbox', hasInput ? String(INPUT_DESCRIPTOR) : '2', ...command],
	};
}
