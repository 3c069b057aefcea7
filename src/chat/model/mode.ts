// The result that a message requests: a chat reply, an answer with web sources, an image, or the work of an agent.

export type TurnMode = 'chat' | 'search' | 'image' | 'agent';

export const TURN_MODES = ['chat', 'agent', 'search', 'image'] as const satisfies TurnMode[];

/** The purpose of the composer's message: a turn of the conversation, or a task, which adds no turn to it. */
export type ComposerMode = TurnMode | 'task';

export const COMPOSER_MODES = [...TURN_MODES, 'task'] as const satisfies ComposerMode[];

/** Errand's own prompts, for the code in the context or the selection. A file with such a name is marked as one. */
export const OWN_PROMPTS = ['explain', 'fix', 'tests'] as const;
export type OwnPrompt = (typeof OWN_PROMPTS)[number];

const COMMAND = /^\/(chat|agent|search|image)(?:\s+|$)/;

const TASK_COMMAND = /^\/task(?:\s+|$)/;

/**
 * Returns the goal, which may be empty, if a message is meant for a task; undefined for any other message. `usual` is
 * the mode of a message that begins with no command.
 */
export function taskGoal(message: string, usual: ComposerMode): string | undefined {
	const [prefix] = TASK_COMMAND.exec(message) ?? [];
	if (prefix !== undefined) {
		return message.slice(prefix.length);
	}
	const { mode, text } = parseMessage(message);
	return usual === 'task' && mode === undefined ? text : undefined;
}

/**
 * Returns the mode that a message requests, and its text without the command. A text that only looks like a command is
 * escaped by a second slash, which is removed, or by white space before the slash. Any other word after a slash is
 * plain text.
 */
export function parseMessage(message: string): { mode: TurnMode | undefined; text: string } {
	const [prefix = '', command] = COMMAND.exec(message) ?? [];
	if (command !== undefined) {
		return { mode: command as TurnMode, text: message.slice(prefix.length) };
	}
	return { mode: undefined, text: message.startsWith('//') ? message.slice(1) : message };
}

/** Returns the message in the form that goes to an agent, unless it states its own mode. */
export function agentMessage(message: string): string {
	const { mode, text } = parseMessage(message);
	return mode === undefined && taskGoal(message, 'agent') === undefined ? `/agent ${text}` : message;
}

/** Returns the text as it must be typed in a conversation of any mode, so that `parseMessage` returns `text`. */
export function escapeMessage(text: string): string {
	return COMMAND.test(text) || TASK_COMMAND.test(text) || text.startsWith('//') ? `/${text}` : text;
}

/** Returns the name that follows a slash at the start of a message, which may be a prompt's, and the text after it. */
export function slashName(message: string): { name: string; typed: string } | undefined {
	const [prefix = '', name] = /^\/([^\s/]+)(?:\s+|$)/.exec(message) ?? [];
	return name === undefined ? undefined : { name, typed: message.slice(prefix.length) };
}

/** Returns the part of a name that is typed before the cursor, as long as nothing but a slash precedes it. */
export function slashWord(text: string, cursor: number): string | undefined {
	const typed = /^\/([^\s/]*)$/.exec(text.slice(0, cursor))?.[1];
	const goesOn = /^\S/.test(text.slice(cursor));
	return goesOn ? undefined : typed;
}

/** Returns whether the typed text may still become the name. Of a name with colons, each part may be typed. */
export function offersName(name: string, typed: string): boolean {
	const word = typed.toLowerCase();
	return [name, ...name.split(':')].some(part => part.toLowerCase().startsWith(word));
}
