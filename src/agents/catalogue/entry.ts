import { hasInvisible } from '../../base/invisible.ts';
import type { AGENT_PROBLEMS, MODEL_APIS } from '../../contract/agents.ts';

export type ModelApi = (typeof MODEL_APIS)[number];
export type AgentProblem = (typeof AGENT_PROBLEMS)[number];

/** What an agent is told about the run that it is started for. All paths are those that the agent sees. */
export interface AgentPlace {
	/** A folder of the run's own, which is the agent's home. */
	home: string;
	/** The folders of programs, joined as in `PATH`. */
	path: string;
	/** The relay's address, without a path and without a trailing slash. Empty if there is no relay. */
	relayUrl: string;
	/** The relay's token, which the agent sends as the key of its model's API. */
	token: string;
	model: string;
	/** The length of the model's context in tokens. Absent if nobody knows it. */
	contextLength?: number;
	/** The longest reply in tokens. Absent if nobody knows it. */
	maxOutputTokens?: number;
	/** Somebody is there to answer what the agent asks permission for. */
	isAttended?: boolean;
	/** The absolute paths of the agent's own program and of the further programs that it needs, by their names. */
	programs: Readonly<Record<string, string>>;
}

/**
 * Returns whether an agent can be told to use a model of this name. Models are named by servers, and a name with
 * invisible characters could not be passed on in an environment, or would stand for something else than what is shown.
 */
export function isUsableModel(model: string): boolean {
	return model !== '' && !hasInvisible(model) && model.isWellFormed();
}

/** How an agent is installed on one platform: by `npm ci` from a `package.json` and a `package-lock.json`. */
export interface AgentInstallation {
	/** The agent's own package comes first, at one version, which is that of the installation. */
	manifest: { readonly dependencies: Readonly<Record<string, string>> };
	/**
	 * It has the hash of every package, and no address, so that npm asks the registry that the user has set. It is long, and
	 * nobody but an installation needs it.
	 */
	lock(): Promise<object>;
	/** The programs by their names, as paths below `node_modules`. */
	programs: Readonly<Record<string, string>>;
	/**
	 * The folder below `node_modules` of the package that each platform has another one of. In the lock such packages are
	 * optional, so npm passes over one that it cannot install.
	 */
	packageOfPlatform?: string;
	downloadMegabytes: number;
	diskMegabytes: number;
}

/** Returns the version of an installation. */
export function installationVersion({ manifest }: AgentInstallation): string {
	return Object.values(manifest.dependencies)[0] ?? '';
}

/** What Errand knows about an agent, wherever its program is. */
export interface AgentDefinition {
	id: string;
	label: string;
	licence?: string;
	/** The name of its program on PATH, or its absolute path. */
	command: string;
	args: readonly string[];
	/** The names of further programs that it starts. It cannot run without them. */
	needs: readonly string[];
	/** The oldest Node that it runs with, if it is a program for the one that PATH names. */
	nodeVersion?: string;
	/** Undefined if its model's API is not one that the relay speaks. */
	api: ModelApi | undefined;
	/** The mode that a session is set to. */
	mode?: string;
	/**
	 * The mode in which it asks before each change of a file and each command, whatever the repository says. Others ask for
	 * less or never, whoever is there to answer.
	 */
	askingMode?: string;
	/** The reason why it is listed but never run. */
	problem?: Extract<AgentProblem, 'own-account' | 'model-api'>;
	/**
	 * The files with instructions that it reads itself, by their paths in its working folder: the first one that is there.
	 */
	instructionFiles?: readonly string[];
	/** The memory that it is known to need. */
	megabytes?: number;
	/** What it needs in its environment beside `baseEnvironment`. */
	environment(place: AgentPlace): Record<string, string>;
	/** The texts of its configuration files, by their paths below its home, with `/`. */
	files(place: AgentPlace): Record<string, string>;
	/** How it is installed, by the names of platforms (`platform.ts`). */
	installations: Readonly<Record<string, AgentInstallation>>;
}

/** An agent whose programs were found. */
export interface FoundAgent {
	definition: AgentDefinition;
	/** `own`: it comes with Errand. */
	source: 'own' | 'settings' | 'path' | 'installed';
	/** The real, absolute paths of its program and of those that it needs, by their names. */
	programs: Readonly<Record<string, string>>;
	/** The real, absolute path of its own program. */
	location: string;
	/** The version of the package that the program belongs to. Undefined if it belongs to none. */
	version: string | undefined;
}
