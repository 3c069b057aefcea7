import os from 'node:os';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { type ChildResult, type RunningChild, startChild } from '../../base/childProcess.ts';
import { defined } from '../../base/defined.ts';
import type { Logger } from '../../base/logger.ts';
import type { AgentPlace } from '../catalogue/entry.ts';
import { makeTemporaryFolder, writeAgentHome } from '../sandbox/agentHome.ts';
import { prepareFolders } from '../sandbox/folders.ts';
import { DEFAULT_LIMITS } from '../sandbox/limits.ts';
import { wrapMacos } from '../sandbox/macos.ts';
import { packageFolders } from '../sandbox/packageFolders.ts';
import { insidePlaces } from '../sandbox/places.ts';
import { ResourceWatch } from '../sandbox/resourceWatch.ts';
import { type Toolchains, toolchains } from '../sandbox/toolchains.ts';
import { type LentFolder, wrap } from '../sandbox/wrap.ts';
import { AgentFailure } from '../session/agentFailure.ts';
import type { AgentSession } from '../session/agentSession.ts';
import type { AgentEvent } from '../session/events.ts';
import { openAgentSession } from '../session/openAgentSession.ts';
import type { PermissionPolicy } from '../session/permissions.ts';
import type { AgentLaunch } from './agentLaunch.ts';

/** Where the programs of an agent run, and what they may reach. All paths are paths of the host. */
export interface RunPlace {
	/** The folder with the files to work on. */
	tree: string;
	/** The folders in it that a sandbox lets programs write to, by their names, where that is not all of it. */
	treeFolders?: readonly string[];
	/** What a sandbox shows in it beside them. */
	lent?: readonly LentFolder[];
	/** The agent's own home folder. */
	home: string;
	/** The name of the repository, which is part of the tree's path in the sandbox. */
	name: string;
	isSandboxed: boolean;
	/** The relay to a model. Absent for an agent that uses none. */
	relay: RunRelay | undefined;
	/** The folders that no sandbox shows, beside those of the user's home that hold credentials. */
	privateFolders: readonly string[];
	/** What a sandbox shows of the user's PATH. Finding it takes many look-ups, so it is found once for a run. */
	toolchains: Toolchains;
	/** The program that serves the relay in a sandbox (`sandbox/inside.ts`, or its bundle). */
	insideProgram: string;
	/** Marks descendants of a program that runs without a sandbox, so that they are found when it ends. */
	marker: string;
	/**
	 * Called with the id of each program that is started without a sandbox, or in one that does not end it with this process.
	 * It leads a process group of its own.
	 */
	onUnsandboxed(pid: number): void;
}

export interface RunRelay {
	token: string;
	/** Where the relay listens: at an address of this machine without a sandbox, at a unix socket for one. */
	url: string | undefined;
	socket: string | undefined;
}

/** The same place, as the programs in it see it. */
export interface SeenPlace {
	tree: string;
	home: string;
	/** The folders of programs, joined as in `PATH`. */
	path: string;
	/** The relay's address, without a path and without a trailing slash. Empty if there is no relay. */
	relayUrl: string;
}

/** Finds the toolchains that the PATH of this process names, for a place with these private folders. */
export function findToolchains(privateFolders: readonly string[]): Toolchains {
	return toolchains(process.env, os.homedir(), privateFolders);
}

/** Returns what a program sees of the place that it runs in. */
export function seenFrom({ tree, home, name, isSandboxed, relay, toolchains: { path } }: RunPlace): SeenPlace {
	if (isSandboxed && process.platform === 'darwin') {
		return { tree, home, path, relayUrl: relay?.url ?? '' };
	}
	if (isSandboxed) {
		const inside = insidePlaces(name);
		return { ...inside, path, relayUrl: relay === undefined ? '' : inside.relayUrl };
	}
	return { tree, home, path: pathOf(childEnvironment(process.env, {})), relayUrl: relay?.url ?? '' };
}

/** Windows has it under a name in other letters. */
function pathOf(environment: Readonly<Record<string, string>>): string {
	return Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
}

export interface ProgramOptions {
	/** An absolute path. */
	command: string;
	args: readonly string[];
	/** The absolute paths of further programs that it starts, beside those of the system. */
	programs?: readonly string[];
	/** The whole environment. */
	env: Record<string, string>;
	/** Aborting it ends the program and everything that it started. */
	signal: AbortSignal;
	/** Gets a sentence, once, when the program used more of the machine than it may. The caller ends the run. */
	onLimit(sentence: string): void;
}

/** Starts a program at its place. In a sandbox of Linux nothing of it outlives the returned child, or this process. */
async function startAt(place: RunPlace, options: ProgramOptions): Promise<RunningChild> {
	const { signal } = options;
	const { tree, home } = place;
	if (!place.isSandboxed) {
		const { command, args, env } = options;
		await makeTemporaryFolder(home);
		const child = startChild({ command, args, env, cwd: tree, signal, marker: place.marker });
		if (child.pid !== undefined) {
			place.onUnsandboxed(child.pid);
		}
		return child;
	}
	const wrapped = await sandboxed(place, options);
	const isEndedBySandbox = process.platform === 'linux';
	const started = isEndedBySandbox ? { cwd: '/' } : { cwd: tree, marker: place.marker };
	const child = startChild({ ...wrapped, ...started, signal });
	const { pid } = child;
	if (pid !== undefined && !isEndedBySandbox) {
		place.onUnsandboxed(pid);
	}
	if (pid !== undefined) {
		const limits = DEFAULT_LIMITS;
		const watch = new ResourceWatch({ pid, folders: [tree, home], limits, onOver: options.onLimit });
		const dispose = (): void => watch.dispose();
		child.ended.then(dispose, dispose);
	}
	return child;
}

async function sandboxed(place: RunPlace, { command, args, env, programs = [], signal }: ProgramOptions) {
	const { tree, treeFolders, lent, home, name, relay, privateFolders, insideProgram } = place;
	const placeOf = (file: string) => packageFolders(file, os.homedir(), privateFolders);
	const [program, own] = [await placeOf(command), await placeOf(process.execPath)];
	const others = await Promise.all(programs.map(placeOf));
	const { readOnly, variables } = place.toolchains;
	const request = {
		command: program.command,
		args,
		env: { ...variables, ...env },
		tree,
		home,
		readOnly: [program, own, ...others].flatMap(shown => shown.readOnly).concat(readOnly),
		...defined({ treeFolders }),
	};
	if (process.platform === 'darwin') {
		await makeTemporaryFolder(home);
		return wrapMacos({ ...request, relayUrl: relay?.url });
	}
	const socket = relay?.socket;
	await prepareFolders({ tree, home, signal, ...defined({ socket }) });
	return wrap({
		...request,
		name,
		...defined({
			lent,
			relay: socket === undefined ? undefined : { socket, node: own.command, program: insideProgram },
		}),
	});
}

export interface AgentRunOptions extends Pick<ProgramOptions, 'signal' | 'onLimit'> {
	place: RunPlace;
	/** Throws a sentence if the agent's program has disappeared. */
	launch(place: Omit<AgentPlace, 'programs'>): Promise<AgentLaunch>;
	/** The model that the relay answers with. */
	model: string;
	/** Somebody is there to answer what the agent asks permission for. */
	isAttended?: boolean;
	/** Makes the policy that answers it. `tree` and `home` are the folders as the agent sees them. */
	decide(seen: Pick<SeenPlace, 'tree' | 'home'>): PermissionPolicy;
	/** The agent's session of an earlier run at the same place, which is continued if the agent can. */
	earlier: string | undefined;
	/** What was chosen of the agent's options, by their ids. */
	chosen?: Readonly<Record<string, string>>;
	onEvent(event: AgentEvent): void;
	logger: Logger;
}

/**
 * Starts an agent at its place and opens a session with it.
 * @throws UserFacingError if the agent fails; the signal's reason if it aborts. Nothing of the agent is left then.
 */
export async function startAgentRun(options: AgentRunOptions): Promise<AgentSession> {
	const { place, model, isAttended, earlier, chosen, signal, logger, onEvent } = options;
	const { tree, ...seen } = seenFrom(place);
	const { mode, files, startHint, ...program } = await options.launch({
		...seen,
		token: place.relay?.token ?? '',
		model,
		...defined({ isAttended }),
	});
	await writeAgentHome(place.home, files);
	const child = await startAt(place, { ...program, signal, onLimit: options.onLimit });
	return openAgentSession({
		child,
		folder: tree,
		decide: options.decide({ tree, home: seen.home }),
		onEvent,
		signal,
		logger,
		...defined({ earlier, mode, chosen }),
	}).catch(error => {
		throw startHint === undefined ? error : withHint(error, startHint);
	});
}

/** An agent that cannot run with its Node ends at once, or answers with an error of its own. */
function withHint(error: unknown, hint: string): unknown {
	return AgentFailure.is(error, 'exited') || AgentFailure.is(error, 'refused')
		? new AgentFailure(error.code, `${error.message} ${hint}`, error.lastLines)
		: error;
}

/** Runs a program at its place to its end. Rejects with the signal's reason. */
export async function runAt(
	place: RunPlace,
	options: ProgramOptions & { onOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void },
): Promise<ChildResult> {
	const child = await startAt(place, options);
	child.stdin.end();
	child.stdout.on('data', (bytes: Buffer) => options.onOutput('stdout', bytes));
	child.stderr.on('data', (bytes: Buffer) => options.onOutput('stderr', bytes));
	const result = await child.ended;
	options.signal.throwIfAborted();
	return result;
}
