// What a message requests: a chat reply, an answer with web sources, an image, or the work of an agent.

export type TurnMode = 'chat' | 'search' | 'image' | 'agent';

export const TURN_MODES = ['chat', 'agent', 'search', 'image'] as const satisfies TurnMode[];

/** A command at the beginning of a message: a mode's name, or `task`, which hands the message to a task instead. */
export type SlashCommand = TurnMode | 'task';

const SLASH_COMMANDS = [...TURN_MODES, 'task'] as const satisfies SlashCommand[];

const COMMAND = /^\/(chat|agent|search|image)(?:\s+|$)/;

const TASK_COMMAND = /^\/task(?:\s+|$)/;

/** Returns the goal of a message that is meant for a task, which may be empty. Undefined for any other message. */
export function taskGoal(message: string): string | undefined {
	const [prefix] = TASK_COMMAND.exec(message) ?? [];
	return prefix === undefined ? undefined : message.slice(prefix.length);
}

/**
 * Returns what a message requests, and its text without the command. A text that only looks like a command is escaped
 * by a second slash, which is removed, or by white space before the slash. Any other word after a slash is plain text.
 */
export function parseMessage(message: string): { mode: TurnMode | undefined; text: string } {
	const [prefix = '', command] = COMMAND.exec(message) ?? [];
	if (command !== undefined) {
		return { mode: command as TurnMode, text: message.slice(prefix.length) };
	}
	return { mode: undefined, text: message.startsWith('//') ? message.slice(1) : message };
}

/** Returns the message that goes to an agent, unless it says itself what it is for. */
export function agentMessage(message: string): string {
	const { mode, text } = parseMessage(message);
	return mode === undefined && taskGoal(message) === undefined ? `/agent ${text}` : message;
}

/** Returns the text as it has to be typed in a conversation of any mode, so that `parseMessage` gives `text` back. */
export function escapeMessage(text: string): string {
	return COMMAND.test(text) || TASK_COMMAND.test(text) || text.startsWith('//') ? `/${text}` : text;
}

/** The commands that a message may still become, as long as nothing but a slash and letters precedes the cursor. */
export function offeredCommands(text: string, cursor: number): SlashCommand[] {
	const typed = /^\/([a-z]*)$/.exec(text.slice(0, cursor))?.[1];
	const goesOn = /^\S/.test(text.slice(cursor));
	return typed === undefined || goesOn ? [] : SLASH_COMMANDS.filter(name => name.startsWith(typed));
}
