import { MAXIMUM_TERMINAL_LENGTH, plainTerminalText } from '../model/terminalText.ts';

/** The last command that ran in a terminal of this window, with as much of its output as is worth keeping. */
export class TerminalMemory {
	private last: { command: string; output: string; running: boolean } | undefined;

	/** Reads a command's output to its end. A command that begins later takes its place at once. */
	async remember(command: string, data: AsyncIterable<string>): Promise<void> {
		const execution = { command, output: '', running: true };
		this.last = execution;
		for await (const piece of data) {
			// Twice as much may pile up before the start of it is let go: not with each piece.
			const output = execution.output + piece;
			execution.output = output.length > 2 * MAXIMUM_TERMINAL_LENGTH ? output.slice(-MAXIMUM_TERMINAL_LENGTH) : output;
		}
		execution.running = false;
	}

	/** The command line and what it has printed so far; undefined before the first one. */
	read(): { command: string; output: string; running: boolean } | undefined {
		return (
			this.last && { ...this.last, output: plainTerminalText(this.last.output).slice(-MAXIMUM_TERMINAL_LENGTH).trim() }
		);
	}
}
