import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allowsOnly, withoutModel } from '../../agents/relay/relay.ts';
import type { PlaceOptions, RelayAnswers, RunPlace } from '../../agents/run/runPlace.ts';
import { toolchains } from '../../agents/sandbox/toolchains.ts';
import { stepsFolder } from '../../agents/steps/stepChain.ts';
import { defined } from '../../base/defined.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import type { Composition } from '../../contract/compositions.ts';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import type { Agent } from './agent.ts';
import { workOn } from './agentWork.ts';
import { Checkout } from './checkout.ts';
import { TESTS_FOLDER, testPlaceIn } from './commandRun.ts';
import { type CompositionCommit, composeWork } from './composition.ts';
import { stepToGoOnFrom, summaryOf } from './earlierWork.ts';
import { tellFilteredFiles } from './filteredFiles.ts';
import { readMarker, writeMarker } from './folderRetention.ts';
import { describeCall, describeCost, type ModelCall } from './relay/modelCall.ts';
import { runRepositoryTests, type TestResult, type WorkToTest } from './repositoryTests.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import type { RunModels, RunServices } from './runServices.ts';
import { saveWork } from './saveWork.ts';
import { readBranchToMove, readSource, writeGitConfiguration } from './sourceRepository.ts';
import { beginSteps } from './steps/taskSteps.ts';
import { TaskDependencies } from './taskDependencies.ts';
import { endOf, TaskEnded } from './taskEnded.ts';
import { TaskLog } from './taskLog.ts';
import { listed } from './taskNames.ts';
import { findSandbox, placeOfTask, processMarker } from './taskPlace.ts';
import type { TaskServers } from './taskServers.ts';
import { taskWeb } from './taskWeb.ts';

/** The time to find out whether an aborted run has left any work. */
const LOOK_TIMEOUT_MS = 30_000;
/** The time for model calls to end once their agent has ended. */
const COUNT_TIMEOUT_MS = 5_000;
/** The test results of an agent that has just been started. A follow-up starts afresh. */
const NOTHING_KNOWN = { tests: null, testFilesChanged: null } as const;

export interface AgentJob {
	task: TaskRecord;
	execution: ExecutionRecord;
	agent: Agent;
}

export interface RunStorage {
	store: TaskStore;
	/**
	 * The folder of this execution alone. It exists before the run if an earlier run of the same execution has left its
	 * work, and stays after it if there is anything to continue with (folderRetention.ts).
	 */
	folder: string;
}

/** A branch that a run has just made or moved in the source repository. */
export interface MadeBranch {
	name: string;
	commit: string;
	/** The commit that the branch was moved from; undefined for a new one. */
	movedFrom: string | undefined;
}

/** The services that a run uses, and the signal that ends it. */
export interface RunContext {
	services: RunServices;
	servers: TaskServers;
	logger: Logger;
	/** Aborts with a TaskEnded. */
	signal: AbortSignal;
	/** The number of this attempt at the turn, for a service that repeats runs; 1 by default. */
	attempt?: number;
	/**
	 * Takes the branch on to where the source repository itself comes from. The run has failed if this rejects. The
	 * source repository is the end of the way by default.
	 */
	publish?(branch: MadeBranch): Promise<void>;
}

/**
 * Takes one execution from `processing` to a final state: clone, agent, commit, and the branch in the source
 * repository. Each step is logged before it takes effect. Failures of the execution become its final state; this
 * rejects only if the store cannot be written.
 */
export async function runTask(job: AgentJob, storage: RunStorage, context: RunContext): Promise<void> {
	await new TaskRun(job, storage, context).run();
}

const NO_RELAY = 'This agent works with an account of its own, so it gets no model here.';

class TaskRun {
	private readonly job: AgentJob;
	private readonly storage: RunStorage;
	private readonly context: RunContext;
	private readonly log: TaskLog;
	private readonly dependencies: TaskDependencies;
	/** Aborts with a TaskEnded when the agent exceeds a limit on resources or cost. */
	private readonly overLimit = new AbortController();
	/** Also aborts when the execution is ended from outside. */
	private readonly signal: AbortSignal;
	/** What the execution composes; undefined for the work of an agent. */
	private readonly composition: Composition | undefined;
	/** Nothing of the repository is run for an agent that runs nothing itself. */
	private runsTests: boolean;

	constructor(job: AgentJob, storage: RunStorage, context: RunContext) {
		const { services, signal } = context;
		this.job = job;
		this.storage = storage;
		this.context = context;
		this.log = new TaskLog(storage.store, job.task, job.execution);
		this.dependencies = new TaskDependencies({ task: job.task, folder: storage.folder, services, log: this.log });
		this.signal = AbortSignal.any([signal, this.overLimit.signal]);
		this.composition = storage.store.composition(job.task, job.execution.position);
		this.runsTests = !job.agent.isBuiltIn;
	}

	async run(): Promise<void> {
		const { task, execution } = this.job;
		let checkout: Checkout | undefined;
		try {
			const isSandboxed = await this.sandbox();
			checkout = await this.clone();
			const { composition, log, signal } = this;
			const run = { ...this.job, ...this.storage, checkout, log, signal };
			const composed = composition && (await composeWork(composition, run));
			const place = composed
				? { ...this.placeFor(checkout, isSandboxed), relay: undefined, toolchains: this.toolchains }
				: await this.work(checkout, isSandboxed);
			this.update({ status: 'saving', progress: 90, ...(composed && { sandboxed: isSandboxed }) });
			await this.save(checkout, place, composed);
		} catch (error) {
			const { status, message, interrupted } = endOf(error, this.signal);
			const hasWork = await this.keepWork(checkout);
			const code = status;
			this.context.logger.log('info', 'a task did not complete', { taskId: task.id, code });
			const type = status === 'stopped' ? 'warning' : 'error';
			const ended = { status, interrupted, error: status === 'stopped' ? null : message, hasWork };
			this.storage.store.update(task.id, execution.position, ended, [this.log.lastRecord('task_ended', message, type)]);
		}
	}

	/** Resolves with whether the agent runs in a sandbox. Rejects if there is none and the user has not allowed that. */
	private async sandbox(): Promise<boolean> {
		const { agent, task } = this.job;
		if (agent.isBuiltIn) {
			return false;
		}
		try {
			return await findSandbox(this.context.services, task.repoUrl, agent);
		} catch (error) {
			if (this.composition === undefined || !(error instanceof UserFacingError)) {
				throw error;
			}
			// What agents have done can be composed without running any of it.
			this.log.step('running_tests', `The tests are not run. ${error.message}`, 'warning');
			this.runsTests = false;
			return false;
		}
	}

	/** A task that already has a branch continues it; any other starts from the chosen branch. */
	private async clone(): Promise<Checkout> {
		const { task, execution, agent: chosen } = this.job;
		const { folder, store } = this.storage;
		const { signal } = this;
		const sourceFolder = folderOfRepoUrl(task.repoUrl);
		const [first] = this.composition?.results ?? [];
		const composed = first && store.executions(task)[first.agent]?.branchName;
		const branch = execution.branchName ?? composed ?? task.selectedBranch;
		const kept = await readMarker(folder);
		if (kept === undefined) {
			await removeFolder(folder);
			store.steps.forget(task, execution.position);
		} else if (kept.agent !== chosen.id) {
			// Another agent continues with the tree, but has no use for the previous agent's home and session.
			await removeFolder(path.join(folder, 'home'));
			await writeMarker(folder, { agent: chosen.id });
		}
		await mkdir(folder, { recursive: true, mode: 0o700 });
		this.update({ status: 'processing', progress: 0 });
		this.log.step('git_cloning', `Cloning ${branch} of ${sourceFolder}…`);
		await writeGitConfiguration(folder, signal);
		const query = { folder: sourceFolder, branch, scratchFolder: folder, signal };
		const source = await (execution.branchName === null ? readSource(query) : readBranchToMove(query));
		const marker = processMarker(task.id, execution.position, this.context.attempt);
		const { agent } = execution;
		const step = await stepToGoOnFrom({ store, task }, folder, source.commit);
		const options = { folder, source, sourceFolder, agent, signal, marker };
		const from = step && { commit: step.tree, objects: path.join(stepsFolder(folder), 'objects') };
		const startsAt = this.composition?.base;
		const checkout = await Checkout.create({ ...options, ...defined({ from, startsAt }) });
		this.update({ progress: 10 });
		this.log.step('git_cloned', `Cloned at ${(startsAt ?? source.commit).slice(0, 10)}.`, 'success');
		if (step !== undefined) {
			this.log.step('git_cloned', `The files are as they were after step ${step.index + 1}: ${step.title}`);
		} else if (checkout.hasDiscarded) {
			const message =
				'The branch has been moved since, so what an earlier run had done and nobody kept is not in the agent’s folder any more.';
			this.log.step('git_cloned', message, 'warning');
		} else if (kept !== undefined && (await checkout.isChanged())) {
			this.log.step('git_cloned', 'What an earlier run had done and nobody kept is still in the agent’s folder.');
		}
		if (checkout.linksLeftOut.length > 0) {
			const message = `Links that lead out of the repository are not in the agent's folder: ${listed(checkout.linksLeftOut)}. They stay as they are where the agent makes nothing of their name.`;
			this.log.step('git_cloned', message, 'warning');
		}
		for (const { message, type } of checkout.submodules.notes()) {
			this.log.step('git_cloned', message, type);
		}
		return checkout;
	}

	private get toolchains(): RunPlace['toolchains'] {
		return toolchains(this.context.services.privateFolders);
	}

	private placeFor({ tree, submodules }: Checkout, isSandboxed: boolean): PlaceOptions {
		const { agent, task, execution } = this.job;
		const { folder } = this.storage;
		const marker = processMarker(task.id, execution.position, this.context.attempt);
		return {
			tree,
			lent: submodules.lent,
			home: agent.account?.home ?? path.join(folder, 'home'),
			...placeOfTask({ repoUrl: task.repoUrl, folder, marker, isSandboxed, services: this.context.services }),
		};
	}

	/** Resolves with the place where the agent worked. */
	private async work(checkout: Checkout, isSandboxed: boolean): Promise<RunPlace> {
		const { agent, task, execution } = this.job;
		const { folder } = this.storage;
		const { services } = this.context;
		let kept = await readMarker(folder);
		if (!agent.isBuiltIn) {
			if (kept?.sandboxed && !isSandboxed) {
				// Files that an agent has put into its sandbox's home must not run outside a sandbox.
				await removeFolder(path.join(folder, 'home'));
				kept = undefined;
			}
			await checkout.makeAgentRepository();
			await writeMarker(folder, { agent: agent.id, ...kept, sandboxed: isSandboxed });
		}
		const repository = folderOfRepoUrl(task.repoUrl);
		const models = agent.isBuiltIn || agent.account ? undefined : this.openModels();
		const onLimit = (sentence: string) => this.endOverLimit(sentence);
		const servers = path.join(folder, 'servers');
		const { hosts = [] } = (models && (await services.dependencyAnswer(task.repoUrl))) ?? {};
		const search = models && (await services.allowsSearch(task.repoUrl)) ? models.search : undefined;
		try {
			return await workOn(
				{
					agent,
					model: execution.model,
					prompt: task.currentPrompt ?? task.prompt,
					repository,
					// A session knows of all steps, also of those that are not in the files.
					earlierSession: task.fromStep === null ? kept?.session : undefined,
					note: agent.isBuiltIn ? undefined : await tellFilteredFiles(checkout, this.log, this.signal),
					summary: agent.isBuiltIn
						? undefined
						: await summaryOf({ store: this.storage.store, task, execution, checkout }),
				},
				{
					place: this.placeFor(checkout, isSandboxed),
					relay: agent.isBuiltIn
						? undefined
						: {
								...this.answers(models?.handle ?? withoutModel(NO_RELAY)),
								...(models && { web: taskWeb({ hosts, search }, sentence => this.refused(sentence)) }),
							},
					mcpServers: agent.isBuiltIn
						? undefined
						: this.context.servers.forRun({ task, isSandboxed, folder: servers, log: this.log }),
					provide: async place => {
						const provided = await this.dependencies.provide(place, onLimit, this.signal);
						const where = agent.isBuiltIn ? '' : isSandboxed ? ' in a sandbox' : ' without a sandbox';
						const account = agent.account ? ` with its own account (${agent.account.hosts.join(', ')})` : '';
						this.log.step(
							'agent_executing',
							`Starting agent "${agent.id}"${where}${account}.`,
							where === ' without a sandbox' ? 'warning' : 'info',
						);
						this.update({ progress: 20, ...(agent.isBuiltIn ? {} : { sandboxed: isSandboxed, ...NOTHING_KNOWN }) });
						return provided;
					},
					onLimit,
					signal: this.signal,
					logger: this.context.logger,
				},
				{
					log: this.log,
					onCost: cost => models?.tellCost(cost),
					onProgress: progress => this.update({ progress }),
					onSession: async session => {
						if (!agent.isBuiltIn) {
							await writeMarker(folder, { agent: agent.id, session, sandboxed: isSandboxed });
						}
						const run = { checkout, folder, task, execution, store: this.storage.store, log: this.log };
						return agent.isBuiltIn ? undefined : beginSteps(run);
					},
				},
			);
		} catch (error) {
			throw this.signal.aborted ? this.signal.reason : this.withFate(error);
		} finally {
			await (models && this.accountFor(models));
			// A server may have written its secrets there.
			await this.removeFolder(servers);
		}
	}

	private openModels(): RunModels {
		const { log } = this;
		const models = this.context.services.openModels(this.job.execution.model, {
			onRefused: sentence => this.refused(sentence),
			onOverBudget: sentence => this.endOverLimit(sentence),
			onUnpriced: sentence => log.said('agent_limit', sentence, 'warning'),
			onCall: call => {
				this.count(call);
				log.said('agent_model', describeCall(call), call.outcome === 'failed' ? 'warning' : 'info');
			},
		});
		this.update({ maxCost: models.maxCost ?? null });
		return models;
	}

	/** Only an installation reaches hosts through the relay, and an agent with an account of its own the hosts of that. */
	private answers(handle: RelayAnswers['handle']): RelayAnswers {
		const ofAccount = allowsOnly(this.job.agent.account?.hosts ?? []);
		return {
			handle,
			allowsHost: (host, port, name) => ofAccount(host, port) || this.dependencies.allowsHost(host, port, name),
			onRefused: sentence => this.refused(sentence),
		};
	}

	private refused(sentence: string): void {
		this.log.said('agent_refused', sentence, 'warning');
	}

	private count({ model, provider, outcome, isEstimated, inputTokens, outputTokens, cost }: ModelCall): void {
		const { task, execution } = this.job;
		const { store } = this.storage;
		const { sequence: taskSequence, turn } = task;
		const { position, agent } = execution;
		const calls = { calls: 1, failedCalls: Number(outcome === 'failed'), estimatedCalls: Number(isEstimated) };
		const used = { model, provider, ...calls, inputTokens, outputTokens, cost: cost ?? null };
		store.modelUse.add({ taskSequence, position, turn, agent, ...used }, new Date());
	}

	/** Logs the cost of this run, the providers that served it, and the used part of its limit. */
	private async accountFor({ allCounted, maxCost, settings }: RunModels): Promise<void> {
		const { task, execution } = this.job;
		const { store } = this.storage;
		// The calls end with the relay; those still waiting for a provider end a moment later.
		await Promise.race([allCounted(), delay(COUNT_TIMEOUT_MS, undefined, { ref: false })]);
		const use = store.modelUse.ofTask(task).filter(({ position }) => position === execution.position);
		this.log.step('agent_cost', describeCost(use, { turn: task.turn, maxCost, settings }));
	}

	private endOverLimit(sentence: string): void {
		this.log.said('agent_limit', sentence, 'error');
		this.overLimit.abort(new TaskEnded('error', sentence));
	}

	/** Adds the state of the branch to an agent's failure. */
	private withFate(error: unknown): unknown {
		if (!(error instanceof UserFacingError)) {
			return error;
		}
		const made = this.job.execution.branchName === null ? 'No branch was made.' : 'The branch is as it was.';
		return new UserFacingError(`${error.message} ${made}`, { cause: error });
	}

	/** Keeps the folder of an incomplete run if it holds work, or a session to continue. */
	private async keepWork(checkout: Checkout | undefined): Promise<boolean> {
		const { execution } = this.job;
		const { folder } = this.storage;
		const wasStarted = (await readMarker(folder)) !== undefined;
		const hasWork = wasStarted && (checkout === undefined ? execution.hasWork : await this.hasWork(checkout));
		if (!hasWork && !(wasStarted && execution.branchName !== null)) {
			await this.removeFolder();
		}
		return hasWork;
	}

	/** Work is given up only if there certainly is none. A service that is stopping has no time to check. */
	private async hasWork(checkout: Checkout): Promise<boolean> {
		const { logger } = this.context;
		const { task } = this.job;
		const { reason } = this.signal;
		if (reason instanceof TaskEnded && reason.interrupted) {
			return true;
		}
		const later = checkout.withSignal(AbortSignal.timeout(LOOK_TIMEOUT_MS));
		return later.isChanged().catch(error => {
			logger.log('warn', 'the work of a task cannot be read', { taskId: task.id, reason: describeError(error) });
			return true;
		});
	}

	/** The result and the final state are stored in one transaction, so that a task with a result is always complete. */
	private async save(checkout: Checkout, place: RunPlace, composed: CompositionCommit | undefined): Promise<void> {
		const { task, execution } = this.job;
		const { log, signal } = this;
		const { attempt } = this.context;
		const saved = await saveWork({ checkout, task, execution, attempt, log, signal, composed });
		if (saved === undefined) {
			const made = execution.branchName === null ? 'no commit and no branch' : 'no new commit';
			const message = `The agent changed nothing, so there is ${made}.`;
			const none = { linesAdded: 0, linesRemoved: 0, filesChanged: 0 };
			await this.complete(execution.branchName === null ? none : {}, 'git_committed', 'warning', message);
			return;
		}
		const { commit, ...result } = saved;
		const name = saved.branchName;
		const movedFrom = name === execution.branchName ? await checkout.start() : undefined;
		await this.context.publish?.({ name, commit, movedFrom });
		// The branch exists from here on, so the task is complete even if it is stopped now.
		const message = `The branch ${name} is in ${folderOfRepoUrl(task.repoUrl)}.`;
		this.update(result);
		const tested = !this.runsTests ? {} : await this.test({ checkout, base: saved.baseCommit, commit }, place);
		await this.complete({ ...result, ...tested }, 'git_pushed', 'success', message);
	}

	/** Runs the repository's tests in folders of their own, which are removed afterwards. */
	private async test(work: WorkToTest, like: RunPlace): Promise<TestResult> {
		const folder = path.join(this.storage.folder, TESTS_FOLDER);
		const { dependencies } = this;
		const installs = this.job.task.installDependencies;
		const answers = installs ? this.answers(withoutModel('Tests reach no model.')) : undefined;
		const where = testPlaceIn({ folder, like, dependencies, answers });
		await this.removeFolder(folder);
		const result = await runRepositoryTests(work, where, this.log, this.signal);
		await this.removeFolder(folder);
		return result;
	}

	private async complete(
		result: Partial<ExecutionRecord>,
		step: 'git_committed' | 'git_pushed',
		type: 'warning' | 'success',
		message: string,
	): Promise<void> {
		const { agent, task, execution } = this.job;
		// The folder is removed before the state is final, so that an ended task leaves nothing useless behind.
		if (agent.isBuiltIn || (result.branchName ?? execution.branchName) === null) {
			await this.removeFolder();
		}
		const final = { ...result, status: 'completed', progress: 100, hasWork: false } as const;
		this.storage.store.update(task.id, execution.position, final, [this.log.record(step, message, type)]);
	}

	private update(change: Partial<ExecutionRecord>): void {
		const { task, execution } = this.job;
		this.storage.store.update(task.id, execution.position, change);
	}

	private async removeFolder(folder = this.storage.folder): Promise<void> {
		if (folder === this.storage.folder) {
			this.storage.store.steps.forget(this.job.task, this.job.execution.position);
		}
		try {
			await removeFolder(folder);
		} catch (error) {
			const fields = { taskId: this.job.task.id, reason: describeError(error) };
			this.context.logger.log('warn', 'a task folder was left behind', fields);
		}
	}
}
