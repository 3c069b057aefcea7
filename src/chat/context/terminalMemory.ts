/** Remembers the last command that ran in a terminal of this window, with the last part of its output. */
export class TerminalMemory {
	private last: { command: string; output: string; running: boolean } | undefined;

	/** Reads the output of a command to its end. A command that begins later replaces it at once. */
	async remember(command: string, data: AsyncIterable<string>): Promise<void> {
		const execution = { command, output: '', running: true };
		this.last = execution;
		for await (const piece of data) {
			// Up to twice the limit is collected before the start is dropped, so that not every piece copies the text.
			const output = execution.output + piece;
			execution.output = output.length > 2 * MAXIMUM_TERMINAL_LENGTH ? output.slice(-MAXIMUM_TERMINAL_LENGTH) : output;
		}
		execution.running = false;
	}

	/** Returns the command line and its output so far, or undefined before the first command. */
	read(): { command: string; output: string; running: boolean } | undefined {
		return (
			this.last && { ...this.last, output: plainTerminalText(this.last.output).slice(-MAXIMUM_TERMINAL_LENGTH).trim() }
		);
	}
}

/** The length of a terminal's latest output that is kept, in UTF-16 code units. */
const MAXIMUM_TERMINAL_LENGTH = 200_000;

// Escape sequences of ECMA-48 and its customs: CSI, OSC and other strings, and the short ones.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Converts terminal output to readable lines: without colours and without text overwritten after a carriage return. */
export function plainTerminalText(data: string): string {
	return data
		.replace(SEQUENCES, '')
		.replace(/\r+\n/g, '\n')
		.split('\n')
		.map(line => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
		.join('\n')
		.replace(CONTROLS, '');
}
