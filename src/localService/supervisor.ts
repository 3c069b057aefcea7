import { type ChildProcess, spawn } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { type Clock, SerialQueue, singleFlight } from '../base/async.ts';
import type { Disposable } from '../base/disposable.ts';
import { describeError, UserFacingError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { provesItself } from '../client/local/serviceProof.ts';
import { type Discovery, readDiscovery } from '../contract/control.ts';
import type { UpstreamHandoverInput } from '../contract/upstreams.ts';
import type { StartCommand } from './model/startCommand.ts';
import { ask, handOver, serviceCalls } from './serviceCalls.ts';
import { type Lease, openLease } from './serviceLease.ts';

const START_TIMEOUT_MS = 15_000;
/** Agents get a few seconds to end on their own. */
const STOP_TIMEOUT_MS = 20_000;
/** A service that crashes again within this time is not restarted. The failure lasts equally long. */
const CRASH_WINDOW_MS = 60_000;
const POLL_MS = 50;
const MAXIMUM_STARTUP_OUTPUT = 4096;
const MAXIMUM_LOGGED_LINES = 20;

export interface SupervisorOptions {
	program: StartCommand;
	stateFolder: string;
	logger: Logger;
	clock: Clock;
	/** Returns the model servers for the service to use, with their keys. Called before every handover. */
	handover(): Promise<UpstreamHandoverInput>;
	/** Called when `isStopped` has changed. */
	onStoppedChange(isStopped: boolean): void;
	/** Called with the sentence to show when the service has failed permanently. */
	onFailure(error: UserFacingError): void;
}

interface Running {
	service: Discovery;
	lease: Lease;
}

/**
 * Finds or starts the one local service of this user and holds a lease on it. A service that crashed is started again
 * once; a second crash within a minute is a failure, which lasts until the minute is over, `reset` is called, or
 * another window has a service running. A lease that ended although its service is still running is not a crash.
 */
export class Supervisor implements Disposable {
	private readonly options: SupervisorOptions;
	private readonly disposal = new AbortController();
	private running: Running | undefined;
	/** The service whose lease ended, until its fate is known. */
	private lost: Discovery | undefined;
	private crashedAt = Number.NEGATIVE_INFINITY;
	private failure: { error: UserFacingError; until: number } | undefined;
	/** True if the service was told to end, here or in another window, and has not been requested since. */
	isStopped = false;
	private readonly handovers = new SerialQueue();
	/** True if the service may have an outdated list of upstreams. The settings can also change while it starts. */
	private isOutOfDate = false;

	constructor(options: SupervisorOptions) {
		this.options = options;
	}

	/**
	 * Returns the service's address and token, and starts it if it is not running. Concurrent callers share one start.
	 * @throws UserFacingError when it cannot be started or has just failed twice.
	 */
	readonly ensure: () => Promise<Discovery> = singleFlight(async () => {
		this.disposal.signal.throwIfAborted();
		if (this.running) {
			await this.bringUpToDate(this.running.service);
			return this.running.service;
		}
		this.isOutOfDate = false;
		const joined = await this.join();
		this.judgeLoss(joined?.service);
		if (!joined && this.failure && this.options.clock.elapsed() < this.failure.until) {
			throw this.failure.error;
		}
		this.failure = undefined;
		const running = joined ?? (await this.start());
		this.running = running;
		this.isOutOfDate ||= joined !== undefined;
		this.watch(running);
		this.setStopped(false);
		await this.bringUpToDate(running.service);
		return running.service;
	});

	/** Must be called when the upstreams have changed. If the service is not running, it gets them when it starts. */
	async upstreamsChanged(): Promise<void> {
		this.isOutOfDate = true;
		if (this.running) {
			await this.bringUpToDate(this.running.service);
		}
	}

	/** Clears a failure, so that the next call starts the service again. */
	reset(): void {
		this.failure = undefined;
	}

	/** Returns the running service if it proves to be ours. Does not start one. */
	async find(): Promise<Discovery | undefined> {
		const service = this.running?.service ?? (await readDiscovery(this.options.stateFolder));
		return service && (await provesItself(service)) ? service : undefined;
	}

	/**
	 * Ends a service that `find` returned, and resolves when it has ended. It is started again when it is needed.
	 * Rejects if it does not end in time.
	 */
	async stop(service: Discovery): Promise<void> {
		const { clock, logger } = this.options;
		const deadline = clock.elapsed() + STOP_TIMEOUT_MS;
		await ask(service, serviceCalls.shutdown, {});
		while (await provesItself(service)) {
			if (clock.elapsed() > deadline) {
				throw new Error('the service did not end in time');
			}
			await clock.sleep(POLL_MS, this.disposal.signal);
		}
		logger.log('info', 'the local service was stopped', { pid: service.pid });
	}

	/** Releases the lease. The service keeps running for other windows and running tasks, and then ends on its own. */
	dispose(): void {
		this.disposal.abort();
		this.running?.lease.release();
		this.running = undefined;
	}

	/** Takes a lease on a service that is already running, if there is one and it proves to be ours. */
	private async join(): Promise<Running | undefined> {
		const service = await readDiscovery(this.options.stateFolder);
		if (!service || !(await provesItself(service))) {
			return undefined;
		}
		const lease = await openLease(service).catch(() => undefined);
		if (!lease) {
			return undefined;
		}
		if (this.disposal.signal.aborted) {
			lease.release();
			throw this.disposal.signal.reason;
		}
		this.options.logger.log('info', 'joined the local service', { pid: service.pid, version: service.version });
		return { service, lease };
	}

	private async start(): Promise<Running> {
		const { program, clock, logger } = this.options;
		const handover = JSON.stringify(await this.options.handover());
		const child = spawn(program.command, program.arguments, {
			env: program.environment,
			// The service has its own process group and keeps no pipe to this process, so that it outlives a reload of the
			// window.
			detached: true,
			stdio: ['pipe', 'ignore', 'pipe'],
			windowsHide: true,
		});
		// A child that ends at once does not read its input; the reason is reported by other means.
		child.stdin?.on('error', () => {});
		child.stdin?.end(`${handover}\n`);
		const { outcome, said } = observe(child);
		try {
			const deadline = clock.elapsed() + START_TIMEOUT_MS;
			for (;;) {
				const running = await this.join();
				if (running) {
					this.isOutOfDate ||= running.service.pid !== child.pid;
					return running;
				}
				// Exit code 0 means that another window's service won the race: that one answers next.
				const ended = outcome();
				if (ended && ended.code !== 0) {
					throw didNotStart(ended.reason);
				}
				if (clock.elapsed() > deadline) {
					throw didNotStart(outcome()?.reason ?? '');
				}
				await clock.sleep(POLL_MS, this.disposal.signal);
			}
		} catch (error) {
			// If only this window was closed, another one may have found the child; if unused, it ends on its own.
			if (!this.disposal.signal.aborted) {
				logger.log('error', 'the local service did not start', { reason: describeError(error) });
				for (const line of said().slice(-MAXIMUM_LOGGED_LINES)) {
					logger.log('error', 'the local service said', { reason: line });
				}
				child.kill();
			}
			throw error;
		} finally {
			child.stderr?.destroy();
			child.unref();
		}
	}

	/**
	 * Hands over to a running service the upstreams with which this window would have started it. A failure is not
	 * fatal, as chat still has the demo; the handover is tried again with the next request.
	 */
	private bringUpToDate(service: Discovery): Promise<void> {
		// Handovers run one after another, so that the list that was read last is also sent last.
		return this.handovers.run(async () => {
			// If a service has ended meanwhile, another program may listen at its address.
			const isThere = () => this.running?.service === service;
			if (!this.isOutOfDate || !isThere()) {
				return;
			}
			this.isOutOfDate = false;
			try {
				const handover = await this.options.handover();
				await (isThere() && handOver(service, handover));
			} catch (error) {
				this.isOutOfDate = true;
				this.options.logger.log('warn', 'the upstreams could not be handed over', { reason: describeError(error) });
			}
		});
	}

	private watch(running: Running): void {
		void running.lease.ended.then(async how => {
			if (this.disposal.signal.aborted) {
				return;
			}
			const { pid } = running.service;
			this.running = undefined;
			if (how === 'closed') {
				// The service was told to end, here or elsewhere, and is started again when it is needed.
				this.options.logger.log('info', 'the local service has ended', { pid });
				this.setStopped(true);
				return;
			}
			this.options.logger.log('warn', 'the lease on the local service ended', { pid });
			this.lost = running.service;
			try {
				await this.ensure();
			} catch (error) {
				if (error instanceof UserFacingError && error !== this.failure?.error) {
					this.fail(error);
				}
			}
		});
	}

	private setStopped(isStopped: boolean): void {
		if (this.isStopped !== isStopped) {
			this.isStopped = isStopped;
			this.options.onStoppedChange(isStopped);
		}
	}

	/** Counts a crash if the lost service is not the one that runs now; one crash too many is a failure. */
	private judgeLoss(present: Discovery | undefined): void {
		const { lost } = this;
		this.lost = undefined;
		if (!lost || lost.token === present?.token) {
			return;
		}
		const now = this.options.clock.elapsed();
		const isAgain = now - this.crashedAt < CRASH_WINDOW_MS;
		this.crashedAt = now;
		if (isAgain && !present) {
			const message = l10n.t(
				'The local service stopped twice within a minute. Tasks it was running were interrupted. Restart it, or try again in a minute.',
			);
			this.fail(new UserFacingError(message, { action: 'showLog' }));
		}
	}

	private fail(error: UserFacingError): void {
		this.failure = { error, until: this.options.clock.elapsed() + CRASH_WINDOW_MS };
		this.options.logger.log('error', 'the local service failed', { reason: error.message });
		this.options.onFailure(error);
	}
}

function didNotStart(reason: string): UserFacingError {
	const message =
		reason === ''
			? l10n.t('The local service didn’t start in time. See the log for details.')
			: l10n.t('The local service didn’t start: {0}. See the log for details.', reason.replace(/\.$/, ''));
	return new UserFacingError(message, { action: 'showLog' });
}

/**
 * Watches a child process while it starts. `outcome` returns its exit code and the reason once it has ended, and `said`
 * the last lines of its standard error.
 */
function observe(child: ChildProcess) {
	let said = '';
	let ended: { code: number | null; reason: string } | undefined;
	child.stderr?.setEncoding('utf8');
	child.stderr?.on('data', (text: string) => {
		said = (said + text).slice(-MAXIMUM_STARTUP_OUTPUT);
	});
	child.on('error', error => {
		ended = { code: -1, reason: error.message };
	});
	child.on('close', (code, signal) => {
		ended ??= { code, reason: reasonIn(said) ?? signal ?? `exit code ${code}` };
	});
	return { outcome: () => ended, said: () => linesOf(said) };
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line.trim() !== '');

/**
 * Finds the line of a program's last output that describes the error. The output of an uncaught error ends with a stack
 * trace and Node's version, so the last line is not always the right one.
 */
function reasonIn(said: string): string | undefined {
	const lines = linesOf(said);
	return (lines.find(line => /^\w*Error\b.*:/.test(line)) ?? lines.at(-1)) || undefined;
}
