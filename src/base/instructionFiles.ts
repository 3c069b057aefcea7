// The files in which a repository says how to work on it.
import path from 'node:path';

/** The file that every folder may have. The one nearest to the files that a message is about wins. */
export const NESTED_FILE = 'AGENTS.md';

/** The files of a repository's own folder, by their paths in it. The last one wins. */
export const ROOT_FILES = ['.github/copilot-instructions.md', 'CLAUDE.md', NESTED_FILE] as const;

/** Returns whether a file has the name of an instruction file. Case is ignored, because some systems ignore it. */
export function isInstructionName(name: string): boolean {
	return ROOT_FILES.some(file => path.posix.basename(file).toLowerCase() === name.toLowerCase());
}

/** Returns whether a file says nothing itself. A file with only another's name is how Claude Code is pointed to that. */
export function saysNothing(text: string): boolean {
	const content = text.trim();
	return content === '' || content === `@${NESTED_FILE}`;
}
