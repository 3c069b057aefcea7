import * as vscode from 'vscode';

/**
 * The number of characters after which a channel is replaced. The editor keeps on disk everything that was ever
 * appended to a channel, cleared or not, and after a flood reads all of it into its window: a gigabyte for a million
 * lines.
 */
const MAXIMUM_WRITTEN = 24 * 1024 * 1024;

/**
 * An output channel for a log of any length. Once a certain amount has been written, the next clearing replaces the
 * channel.
 */
export class LogChannel {
	readonly name: string;
	private readonly maximumWritten: number;
	private channel: vscode.OutputChannel;
	private written = 0;

	constructor(name: string, maximumWritten = MAXIMUM_WRITTEN) {
		this.name = name;
		this.maximumWritten = maximumWritten;
		this.channel = vscode.window.createOutputChannel(name);
	}

	get isVisible(): boolean {
		return vscode.window.visibleTextEditors.some(
			({ document }) => document.uri.scheme === 'output' && document.uri.path.includes(this.name),
		);
	}

	append(text: string): void {
		this.written += text.length;
		this.channel.append(text);
	}

	clear(): void {
		if (this.written <= this.maximumWritten) {
			this.channel.clear();
			return;
		}
		const { channel, isVisible } = this;
		this.channel = vscode.window.createOutputChannel(this.name);
		this.written = 0;
		if (isVisible) {
			this.channel.show(true);
		}
		channel.dispose();
	}

	show(preserveFocus: boolean): void {
		this.channel.show(preserveFocus);
	}

	dispose(): void {
		this.channel.dispose();
	}
}
