import { systemClock, untilAborted } from '../../base/async.ts';
import { runChild } from '../../base/childProcess.ts';
import { describeError } from '../../base/errors.ts';
import { ToolFailure } from '../failures.ts';
import { KeptOutput } from './outputBuffer.ts';
import { endWords, shellCommand, withState } from './shell.ts';

/** The maximum number of background commands, including ended ones whose end the model has not read yet. */
const MAXIMUM_COMMANDS = 8;

/** The time to wait after the first awaited output, as the rest of it may still be on its way. */
const SETTLE_MS = 100;

/** The commands that are running in the background of a turn. */
export class BackgroundCommands {
	private readonly commands = new Map<number, BackgroundCommand>();
	private started = 0;

	start(command: string, folder: string): number {
		if (this.commands.size >= MAXIMUM_COMMANDS) {
			throw new ToolFailure(
				`${this.commands.size} commands are in the background already. Stop one of ${this.numbers()} first, with output.`,
			);
		}
		this.started++;
		this.commands.set(this.started, new BackgroundCommand(command, folder));
		return this.started;
	}

	/**
	 * Resolves with a command's new output since the last call, and its state. Waits up to `waitMs` for news of either. A
	 * command is forgotten once its end was reported.
	 */
	async read(number: number, waitMs: number, signal: AbortSignal): Promise<string> {
		const { text, hasEnded } = await this.commandOf(number).read(waitMs, signal);
		if (hasEnded) {
			this.commands.delete(number);
		}
		return text;
	}

	/** Ends a command with everything that it started, and resolves with the rest of its output. */
	async stop(number: number, signal: AbortSignal): Promise<string> {
		await this.commandOf(number).stop();
		return this.read(number, 0, signal);
	}

	async end(): Promise<void> {
		await Promise.all([...this.commands.values()].map(command => command.stop()));
	}

	private commandOf(number: number): BackgroundCommand {
		const command = this.commands.get(number);
		if (command === undefined) {
			throw new ToolFailure(`No command ${number} is in the background. There are: ${this.numbers() || 'none'}.`);
		}
		return command;
	}

	private numbers(): string {
		return [...this.commands.keys()].join(', ');
	}
}

class BackgroundCommand {
	/** A sentence about how the command ended. Undefined while it runs. */
	private end: string | undefined;
	private readonly controller = new AbortController();
	private readonly output = new KeptOutput();
	private readonly began = performance.now();
	private readonly ended: Promise<void>;
	private hasNews = false;
	private onNews = () => {};

	constructor(command: string, folder: string) {
		const { signal } = this.controller;
		const running = runChild({
			...shellCommand(command, folder),
			signal,
			onOutput: (_, bytes) => {
				this.output.add(bytes);
				this.tell();
			},
		});
		this.ended = running
			.then(
				({ exitCode }) => endWords(exitCode),
				error => (signal.aborted ? 'It was stopped.' : `It failed: ${describeError(error)}.`),
			)
			.then(end => {
				this.end = end;
				this.tell();
			});
	}

	/** `hasEnded` is true if the text reports the end. */
	async read(waitMs: number, signal: AbortSignal): Promise<{ text: string; hasEnded: boolean }> {
		if (!this.hasNews && waitMs > 0) {
			await this.news(waitMs, signal);
		}
		this.hasNews = false;
		const seconds = Math.round((performance.now() - this.began) / 1_000);
		const state = this.end ?? `It has been running for ${seconds} seconds.`;
		return { text: withState(this.output.take(), state), hasEnded: this.end !== undefined };
	}

	async stop(): Promise<void> {
		this.controller.abort();
		await this.ended;
	}

	/** Resolves when there is something to report, or the time is over. Throws the signal's reason when it aborts. */
	private async news(waitMs: number, signal: AbortSignal): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.onNews = resolve;
		await untilAborted(promise, AbortSignal.any([signal, AbortSignal.timeout(waitMs)])).catch(() => {});
		signal.throwIfAborted();
		if (this.end === undefined && this.hasNews) {
			await systemClock.sleep(SETTLE_MS, signal);
		}
	}

	private tell(): void {
		this.hasNews = true;
		this.onNews();
	}
}
