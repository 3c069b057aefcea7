import { UserFacingError } from '../../base/errors.ts';

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
	/** The end of the agent's standard error, as plain text. Empty if that does not explain the failure. */
	readonly lastLines: readonly string[];

	constructor(code: AgentFailureCode, message: string, lastLines: readonly string[] = []) {
		super(message);
		this.code = code;
		this.lastLines = lastLines;
	}

	static is(error: unknown, code?: AgentFailureCode): error is AgentFailure {
		return error instanceof AgentFailure && (code === undefined || error.code === code);
	}
}
