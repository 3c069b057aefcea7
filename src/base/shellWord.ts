import process from 'node:process';

/**
 * Returns a text as one word of a command that the user may copy into a shell, or undefined if no spelling means the
 * same in all shells of the platform (sh, fish; PowerShell, cmd).
 */
export function shellWord(text: string, platform = process.platform): string | undefined {
	if (platform === 'win32') {
		// A backslash before the closing quote would make the quote a part of the word.
		return /^[^"$`%!\p{C}]*$/u.test(text) ? `"${text.replace(/\\+$/, '$&$&')}"` : undefined;
	}
	// fish treats a backslash within single quotes as an escape character.
	return /^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : undefined;
}
