import { oneLine } from './plainText.ts';

const MAXIMUM_REASON = 200;

/** What says most of why git failed, first: a server's reason, a refused reference, git's own words, whatever a hook printed. */
const TELLING = [
	/^(?:remote: )?\s*(?:error|fatal):(?! failed to push some refs)|^remote: .*\b(?:denied|forbidden|protected|rejected|not allowed|permission)\b/i,
	/permission denied|access denied|authentication failed/i,
	/^ ! /,
	/^remote: .*\p{L}/u,
];
/** Said after the cause, of any cause. */
const GENERAL = /^fatal: (?:Could not read from remote repository|the remote end hung up unexpectedly)/i;

/** The line in which a failed git says what is wrong, as a sentence, without credentials that an address in it may hold. */
export function gitReason(error: unknown): string {
	const { stderr, message } = error as { stderr?: unknown; message?: unknown };
	const lines = String(typeof stderr === 'string' && stderr !== '' ? stderr : (message ?? ''))
		.replace(/\/\/[^/\s]*@/g, '//')
		.split(/[\r\n]+/)
		.filter(line => line.trim() !== '');
	const causes = lines.filter(line => !GENERAL.test(line));
	const told = TELLING.map(pattern => causes.find(line => pattern.test(line))).find(line => line !== undefined);
	return `${oneLine((told ?? lines.at(-1) ?? '').trim(), MAXIMUM_REASON).replace(/\.$/, '')}.`;
}
