// What a message requests: a chat reply, an answer with web sources, or an image.

export type TurnMode = 'chat' | 'search' | 'image';

export const TURN_MODES = ['chat', 'search', 'image'] as const satisfies TurnMode[];

/** A command at the beginning of a message; each is named after its mode. */
export type SlashCommand = TurnMode;

const COMMAND = /^\/(chat|search|image)(?:\s+|$)/;

/**
 * Returns what a message requests, and its text without the command. A text that only looks like a command is escaped
 * by a second slash, which is removed, or by white space before the slash. Any other word after a slash is plain text.
 */
export function parseMessage(message: string): { mode: TurnMode | undefined; text: string } {
	const [prefix = '', command] = COMMAND.exec(message) ?? [];
	if (command !== undefined) {
		return { mode: command as SlashCommand, text: message.slice(prefix.length) };
	}
	return { mode: undefined, text: message.startsWith('//') ? message.slice(1) : message };
}

/** Returns the text as it has to be typed in a conversation of any mode, so that `parseMessage` gives `text` back. */
export function escapeMessage(text: string): string {
	return COMMAND.test(text) || text.startsWith('//') ? `/${text}` : text;
}

/** The commands that a message may still become, as long as nothing but a slash and letters precedes the cursor. */
export function offeredCommands(text: string, cursor: number): SlashCommand[] {
	const typed = /^\/([a-z]*)$/.exec(text.slice(0, cursor))?.[1];
	const goesOn = /^\S/.test(text.slice(cursor));
	return typed === undefined || goesOn ? [] : TURN_MODES.filter(name => name.startsWith(typed));
}
