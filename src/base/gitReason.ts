import { oneLine } from './plainText.ts';

const MAXIMUM_REASON = 200;

/**
 * Patterns for the reason why git failed, the most informative first: a server's reason, a refused reference, git's own
 * message, output of a hook.
 */
const TELLING = [
	/^(?:remote: )?\s*(?:error|fatal):(?! failed to push some refs)|^remote: .*\b(?:denied|forbidden|protected|rejected|not allowed|permission)\b/i,
	/permission denied|access denied|authentication failed/i,
	/^ ! /,
	/^remote: .*\p{L}/u,
];
/** Lines that git prints whatever the cause. */
const GENERAL = /^fatal: (?:Could not read from remote repository|the remote end hung up unexpectedly)/i;

/** Returns the line in which git says what went wrong, as a sentence, without any credentials from an address in it. */
export function gitReason(error: unknown): string {
	// The editor's own git, which pushes for the user, throws errors with `stderr`, but their class is out of reach here.
	const { stderr, message } = error as { stderr?: unknown; message?: unknown };
	const lines = String(typeof stderr === 'string' && stderr !== '' ? stderr : (message ?? ''))
		.replace(/\/\/[^/\s]*@/g, '//')
		.split(/[\r\n]+/)
		.filter(line => line.trim() !== '');
	const causes = lines.filter(line => !GENERAL.test(line));
	const told = TELLING.map(pattern => causes.find(line => pattern.test(line))).find(line => line !== undefined);
	return `${oneLine((told ?? lines.at(-1) ?? '').trim(), MAXIMUM_REASON).replace(/\.$/, '')}.`;
}
