// The files of /etc that say who the user is and where names are looked up. They are the sandbox's own: those of the host
// name its users, its services and its network.
import path from 'node:path';
import { AGENT_USER } from './places.ts';

/** No text contains what a here-document would expand, or the line that ends one. */
const TEXTS = {
	'/etc/passwd': [
		`${AGENT_USER.name}:x:${AGENT_USER.id}:${AGENT_USER.id}:${AGENT_USER.name}:${AGENT_USER.home}:/bin/sh`,
		'nobody:x:65534:65534:nobody:/:/bin/false',
	],
	'/etc/group': [`${AGENT_USER.name}:x:${AGENT_USER.id}:`, 'nogroup:x:65534:'],
	'/etc/hosts': ['127.0.0.1 localhost agent', '::1 localhost'],
	// Nothing answers there, so that a look-up fails at once.
	'/etc/resolv.conf': ['nameserver 127.0.0.1', 'options timeout:1 attempts:1'],
	'/etc/nsswitch.conf': ['passwd: files', 'group: files', 'hosts: files dns', 'services: files', 'protocols: files'],
} as const;

/** Where the command reads what it was started with besides its standard input (`StartOptions.furtherInput`). */
export const INPUT_DESCRIPTOR = 3;
const FIRST_DESCRIPTOR = INPUT_DESCRIPTOR + 1;

/** The paths inside, with the descriptor that bubblewrap reads each from. */
export const ETC_FILES: readonly (readonly [string, number])[] = Object.keys(TEXTS).map(
	(file, index) => [file, FIRST_DESCRIPTOR + index] as const,
);

/**
 * The shell opens the files for bubblewrap and becomes it. Before that it closes what this process has inherited and passes
 * on without knowing, above the descriptor that is its first argument: an agent could use a file of the host that is open.
 * A shell that cannot close one ends here. The kernel ends a process with a higher score earlier when memory runs out.
 */
const SCRIPT = [
	'last=$1; shift',
	'for file in /proc/$$/fd/*; do',
	// The expression is the shell's and not one of this file: it stands for the last part of the path.
	`descriptor=\${file##*/}`,
	'[ "$descriptor" -le "$last" ] || eval "exec $descriptor>&-"',
	'done',
	'{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null',
	`exec "$@" ${ETC_FILES.map(([, descriptor]) => `${descriptor}<<'E${descriptor}'`).join(' ')}`,
	...Object.values(TEXTS).flatMap((lines, index) => [...lines, `E${FIRST_DESCRIPTOR + index}`]),
	'',
].join('\n');

/** Returns the command that runs another one with these files open, and `INPUT_DESCRIPTOR` if it reads from it. */
export function withFiles(
	shell: string,
	command: readonly string[],
	hasInput: boolean,
): { command: string; args: string[] } {
	// bash would run what some variables of the agent's environment name, and the user's own .bashrc where its input is a
	// socket, if these options did not forbid it.
	const options = path.basename(shell) === 'bash' ? ['--norc', '-p'] : [];
	return {
		command: shell,
		args: [...options, '-c', SCRIPT, 'sandbox', hasInput ? String(INPUT_DESCRIPTOR) : '2', ...command],
	};
}
