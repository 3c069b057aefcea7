// The failures of agents, each with the next step.
import type { ChildResult } from '../../base/childProcess.ts';
import { describeError, systemErrorCode, UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { oneLine } from '../../base/plainText.ts';

/**
 * The reasons why an agent failed: its program cannot be started; it did not answer in time; it did not write the
 * protocol; one of its messages was too large; it sent more than a session may hold; it ended early; it broke the
 * protocol; it answered with an error; it demands an account of its own; it lacks the required mode.
 */
export type AgentFailureCode =
	| 'not-started'
	| 'no-answer'
	| 'garbage'
	| 'too-large'
	| 'flood'
	| 'exited'
	| 'protocol'
	| 'refused'
	| 'needs-account'
	| 'unknown-mode';

/** The failure of an agent. The message may quote the agent, on one line. */
export class AgentFailure extends UserFacingError {
	readonly code: AgentFailureCode;

	constructor(code: AgentFailureCode, message: string) {
		super(message);
		this.code = code;
	}

	static is(error: unknown, code?: AgentFailureCode): error is AgentFailure {
		return error instanceof AgentFailure && (code === undefined || error.code === code);
	}
}

/** The length to which the agent's words are cut. */
const MAXIMUM_WORDS = 300;
const MAXIMUM_MODES = 10;

/** ACP's error code for an agent that requires the user to log in. Some agents use it for any error. */
const ACCOUNT_CODE = -32_000;
const ABOUT_ACCOUNT = /auth|log ?in|sign ?in|account|credential|api.?key/i;

export interface AnsweredError {
	code: number;
	message: string;
	data?: unknown;
}

export function answeredError({ code, message, data }: AnsweredError): AgentFailure {
	// Servers that hide their errors behind the code's standard name put the message here.
	const details = isFields(data) && typeof data['details'] === 'string' ? data['details'] : '';
	const words = oneLine(details || message, MAXIMUM_WORDS).replace(/\.$/, '');
	if (code === ACCOUNT_CODE && (words === '' || ABOUT_ACCOUNT.test(`${message} ${details}`))) {
		return new AgentFailure(
			'needs-account',
			`The agent wants an account of its own${quoted(words)}, which Errand does not give it. Choose another agent, or a mode of this one that uses the model of the task.`,
		);
	}
	// An agent may know better what helps, such as another key, and say so in its message.
	const step = isFields(data) && data['tellsStep'] === true ? '' : ' Try again, or choose another agent.';
	return new AgentFailure('refused', `The agent answered with an error${quoted(words)}.${step}`);
}

export function notStarted(error: unknown): AgentFailure {
	const reason = systemErrorCode(error) === 'ENOENT' ? 'it was not found' : describeError(error);
	return new AgentFailure(
		'not-started',
		`The agent's program could not be started: ${reason}. Check that it is installed and that its command is right.`,
	);
}

/** `lastLine` is the end of what the agent wrote to its standard error. */
export function endedEarly({ exitCode }: ChildResult, lastLine: string): AgentFailure {
	const how = exitCode === undefined ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
	const said = lastLine === '' ? '' : ` It wrote last: "${lastLine}".`;
	return new AgentFailure(
		'exited',
		`The agent ${how} before its work was done.${said} Check that it is set up and starts by itself, then try again.`,
	);
}

export function closedPipe(): AgentFailure {
	return new AgentFailure(
		'exited',
		'The agent closed its connection but did not end, so it was ended. Try again, or choose another agent.',
	);
}

export function noAnswer(method: string, limitMs: number): AgentFailure {
	return new AgentFailure(
		'no-answer',
		`The agent did not answer "${method}" within ${limitMs / 1000} seconds, so it was ended. Check that it starts by itself without asking anything, then try again.`,
	);
}

export function otherVersion(theirs: number, ours: number): AgentFailure {
	return new AgentFailure(
		'protocol',
		`The agent speaks version ${theirs} of the Agent Client Protocol and Errand speaks version ${ours}. Install a version of the agent that speaks version ${ours}.`,
	);
}

export function brokenProtocol(what: string): AgentFailure {
	return new AgentFailure(
		'protocol',
		`The agent broke the Agent Client Protocol: it sent ${what}. Install another version of it, or choose another agent.`,
	);
}

/** `wanted` are the modes of which the agent has none. They may be Errand's own choice, or stand in a setting. */
export function unknownMode(wanted: readonly string[], modes: readonly string[]): AgentFailure {
	const missing = wanted.map(mode => `"${oneLine(mode, MAXIMUM_WORDS)}"`).join(' or ');
	const names = modes.slice(0, MAXIMUM_MODES).map(name => oneLine(name, MAXIMUM_WORDS / MAXIMUM_MODES));
	const has = names.length === 0 ? 'no modes' : `${names.join(', ')}${modes.length > MAXIMUM_MODES ? ' and more' : ''}`;
	return new AgentFailure(
		'unknown-mode',
		`The agent has no mode ${missing}; it has ${has}. Use another version of it, or name a mode that it has in its entry of errand.local.agents.`,
	);
}

/** `names` are the agent's ways to log in, none of which can be used here. */
export function onlyTerminalLogin(names: readonly string[]): AgentFailure {
	const ways = names.slice(0, MAXIMUM_MODES).map(name => `"${oneLine(name, MAXIMUM_WORDS / MAXIMUM_MODES)}"`);
	return new AgentFailure(
		'needs-account',
		`The agent is not logged in to its account, and logs in only ${ways.length === 0 ? 'in ways of its own' : `in a terminal (${ways.join(', ')})`}, which would be outside of its sandbox. Give it the token or key of its account as a variable: name that in "env" of its entry in errand.local.agents.`,
	);
}

export function notLoggedIn(wasAsked: boolean): AgentFailure {
	return new AgentFailure(
		'needs-account',
		wasAsked
			? 'The agent was not logged in to its account. Send the message again to log in, or choose another agent.'
			: 'The agent is not logged in to its account. Send it a message in the chat, which asks for that, then start the task again.',
	);
}

export function lostChoice(option: string, value: string): AgentFailure {
	return new AgentFailure(
		'unknown-mode',
		`The agent has "${oneLine(value, MAXIMUM_WORDS)}" for "${oneLine(option, MAXIMUM_WORDS)}" no more. Choose something else for this agent, then try again.`,
	);
}

function quoted(words: string): string {
	return words === '' ? '' : ` ("${words}")`;
}

export function tooLongMessage(lineBytes: number): AgentFailure {
	return new AgentFailure(
		'too-large',
		`The agent was ended because it sent a message of more than ${inMegabytes(lineBytes)}. Try again, or choose another agent.`,
	);
}

export function tooMuchOutput(totalBytes: number): AgentFailure {
	return new AgentFailure(
		'flood',
		`The agent was ended because it wrote more than ${inMegabytes(totalBytes)} in one session. Try again with a smaller piece of work.`,
	);
}

function inMegabytes(bytes: number): string {
	return `${bytes / 1024 / 1024} MB`;
}
