import os from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../base/childEnvironment.ts';
import { type ChildResult, type RunningChild, startChild } from '../../base/childProcess.ts';
import type { AgentPlace } from '../catalogue/entry.ts';
import { openRelay, type Relay, type RelayOptions } from '../relay/relay.ts';
import { makeTemporaryFolder, prepareFolders } from '../sandbox/folders.ts';
import { DEFAULT_LIMITS } from '../sandbox/limits.ts';
import { wrapMacos } from '../sandbox/macos.ts';
import { fileFolder, packageFolders } from '../sandbox/packageFolders.ts';
import { insidePlaces } from '../sandbox/places.ts';
import { ResourceWatch } from '../sandbox/resourceWatch.ts';
import type { Toolchains } from '../sandbox/toolchains.ts';
import { type LentFolder, wrap } from '../sandbox/wrap.ts';
import type { AgentLaunch } from './agentLaunch.ts';
import { recordStarted } from './leftPrograms.ts';

/** The place where programs run, and the limits of what they can reach. All paths are paths of the host. */
export interface PlaceOptions {
	/** The folder with the files to work on. */
	tree: string;
	/** The folders in the tree, by name, that a sandbox lets programs write to, if that is not all of it. */
	treeFolders?: readonly string[];
	/** The folders that a sandbox also shows in the tree. */
	lent?: readonly LentFolder[];
	/** The home folder of these programs only. */
	home: string;
	/** The run's own folder, closed to others, for the relay's socket and the record of programs to end after a kill. */
	folder: string;
	/** The name of the repository, which is part of the tree's path in the sandbox. */
	name: string;
	isSandboxed: boolean;
	/** The folders that every sandbox hides, in addition to those of the user's home that hold credentials. */
	privateFolders: readonly string[];
	/** The program that serves the relay in a sandbox (`sandbox/inside.ts`, or its bundle). */
	insideProgram: string;
	/** Marks descendants of a program that runs without a sandbox, so that they are found when it ends. */
	marker: string;
}

export interface RunPlace extends PlaceOptions {
	/** The open relay. Absent for programs that use none. */
	relay: Pick<Relay, 'token' | 'url' | 'socket'> | undefined;
	/** The parts of the user's PATH that a sandbox shows. They take many look-ups, so they are found once for a run. */
	toolchains: Toolchains;
	/** The variables by which programs find the packages that were installed for them. */
	variables?: Readonly<Record<string, string>>;
}

/** The additions to a place for programs that start later, such as the dependencies of a repository. */
export type Provided = Required<Pick<RunPlace, 'lent' | 'variables'>>;

/** The same place, as programs in it see it. */
export interface PlaceInside extends Pick<AgentPlace, 'home' | 'path' | 'relayUrl'> {
	tree: string;
}

/** The answers of a relay, and the check for the hosts that programs may reach. */
export type RelayAnswers = Pick<RelayOptions, 'handle' | 'allowsHost' | 'onRefused' | 'mcpServers' | 'web'>;

/** Opens a relay for the programs at a place. Rejects with the system's error if it cannot listen. */
export function openRelayAt({ isSandboxed, folder }: PlaceOptions, answers: RelayAnswers): Promise<Relay> {
	return openRelay({ ...answers, listen: isSandboxed ? { socket: path.join(folder, 'relay.sock') } : 'loopback' });
}

/** Returns the place as a program running there sees it. */
export function placeInside({ tree, home, name, isSandboxed, relay, toolchains }: RunPlace): PlaceInside {
	const programFolders = isSandboxed ? toolchains.path : pathOf(childEnvironment(process.env, {}));
	if (!isSandboxed || process.platform === 'darwin') {
		return { tree, home, path: programFolders, relayUrl: relay?.url ?? '' };
	}
	const inside = insidePlaces(name);
	return { ...inside, path: programFolders, relayUrl: relay === undefined ? '' : inside.relayUrl };
}

/** On Windows, the name may have other capitals. */
function pathOf(environment: Readonly<Record<string, string>>): string {
	return Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
}

/** The place adds its variables to the environment. */
export interface ProgramOptions extends Pick<AgentLaunch, 'command' | 'args' | 'env'> {
	programs?: AgentLaunch['programs'];
	/** Further files that a sandbox shows with what lies beside them. */
	files?: readonly string[];
	/** Aborting it ends the program and everything that it started. */
	signal: AbortSignal;
	/** Receives a sentence, once, when the program uses too much of the machine. The caller ends the run. */
	onLimit(sentence: string): void;
}

/** Returns whether programs at a place outlive this process when it is killed. Only those in Linux's sandbox do not. */
export function outlivesUs({ isSandboxed }: PlaceOptions): boolean {
	return !isSandboxed || process.platform !== 'linux';
}

/** Starts a program at its place. Nothing that it starts outlives the returned child. */
export async function startAt(place: RunPlace, options: ProgramOptions): Promise<RunningChild> {
	const { tree, home, folder, marker, isSandboxed } = place;
	const { command, args, env, signal, onLimit: onOver } = options;
	if (!isSandboxed) {
		await makeTemporaryFolder(home);
	}
	const program = isSandboxed
		? await sandboxed(place, options)
		: { command, args, env: { ...env, ...place.variables } };
	const isLeft = outlivesUs(place);
	const child = startChild({ ...program, ...(isLeft ? { cwd: tree, marker } : { cwd: '/' }), signal });
	const { pid } = child;
	if (pid !== undefined && isLeft) {
		void recordStarted(folder, pid);
	}
	if (pid !== undefined && isSandboxed) {
		const watch = new ResourceWatch({ pid, folders: [tree, home], limits: DEFAULT_LIMITS, onOver });
		const dispose = (): void => watch.dispose();
		child.ended.then(dispose, dispose);
	}
	return child;
}

async function sandboxed(place: RunPlace, options: ProgramOptions) {
	const { command, args, env, programs = [], files = [], signal } = options;
	const { tree, treeFolders, lent, home, name, relay, privateFolders, insideProgram } = place;
	const placeOf = (file: string) => packageFolders(file, os.homedir(), privateFolders);
	const [program, own] = [await placeOf(command), await placeOf(process.execPath)];
	const others = await Promise.all(programs.map(placeOf));
	const folders = await Promise.all(files.map(file => fileFolder(file, os.homedir(), privateFolders)));
	const { readOnly, variables } = place.toolchains;
	const request = {
		command: program.command,
		args,
		env: { ...variables, ...env, ...place.variables },
		tree,
		home,
		readOnly: [program, own, ...others].flatMap(shown => shown.readOnly).concat(folders, readOnly),
		treeFolders,
	};
	if (process.platform === 'darwin') {
		await makeTemporaryFolder(home);
		return wrapMacos({ ...request, relayUrl: relay?.url });
	}
	const socket = relay?.socket;
	await prepareFolders({ tree, home, socket, signal });
	return wrap({
		...request,
		name,
		lent,
		...(socket === undefined ? {} : { relay: { socket, node: own.command, program: insideProgram } }),
	});
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
