import process from 'node:process';

/**
 * A text as one word of a command that somebody may copy into a shell; undefined where no spelling means the same in all
 * that the platform has (sh, fish; PowerShell, cmd).
 */
export function shellWord(text: string, platform = process.platform): string | undefined {
	if (platform === 'win32') {
		// A backslash before the closing quote would make that a part of the word.
		return /^[^"$`%!\p{C}]*$/u.test(text) ? `"${text.replace(/\\+$/, '$&$&')}"` : undefined;
	}
	// fish takes a backslash within single quotes for more than itself.
	return /^[^'\\\p{C}]*$/u.test(text) ? `'${text}'` : undefined;
}
