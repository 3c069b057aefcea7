// What a message asks for: a reply of the chat model, an answer with sources of the web, or a picture.

export type TurnMode = 'chat' | 'search' | 'image';

export const TURN_MODES = ['chat', 'search', 'image'] as const satisfies TurnMode[];

/** A command that a message may begin with; each is named for its mode. */
export type SlashCommand = TurnMode;

const COMMAND = /^\/(chat|search|image)(?:\s+|$)/;

/**
 * What a message asks for, and its text without the command. Two slashes, or white space before the slash, stand for a
 * text that only begins like a command; of two slashes one is left. Any other word after a slash is plain text.
 */
export function parseMessage(message: string): { mode: TurnMode | undefined; text: string } {
	const [prefix = '', command] = COMMAND.exec(message) ?? [];
	if (command !== undefined) {
		return { mode: command as SlashCommand, text: message.slice(prefix.length) };
	}
	return { mode: undefined, text: message.startsWith('//') ? message.slice(1) : message };
}

/** The text as it has to be typed in a conversation of any mode, so that `parseMessage` gives `text` back. */
export function escapeMessage(text: string): string {
	return COMMAND.test(text) || text.startsWith('//') ? `/${text}` : text;
}

/** The commands that a message may still become, while nothing but a slash and letters stands before the cursor. */
export function offeredCommands(text: string, cursor: number): SlashCommand[] {
	const typed = /^\/([a-z]*)$/.exec(text.slice(0, cursor))?.[1];
	const goesOn = /^\S/.test(text.slice(cursor));
	return typed === undefined || goesOn ? [] : TURN_MODES.filter(name => name.startsWith(typed));
}
