import { hasInvisible } from '../../base/invisible.ts';
import type { AGENT_PROBLEMS, MODEL_APIS } from '../../contract/agents.ts';
import type { ModelLimits } from '../../contract/modelLimits.ts';
import type { WebCall } from '../relay/webAccess.ts';

export type ModelApi = (typeof MODEL_APIS)[number];
export type AgentProblem = (typeof AGENT_PROBLEMS)[number];

/** The facts about its run that an agent is started with. All paths are as the agent sees them. */
export interface AgentPlace extends ModelLimits {
	/** The agent's home, a folder used by this run only. */
	home: string;
	/** The program folders, joined as in `PATH`. */
	path: string;
	/** The relay's address, without a path and without a trailing slash. Empty if there is no relay. */
	relayUrl: string;
	/** The relay's token, which the agent sends as the key of its model's API. */
	token: string;
	model: string;
	/** True if the model is known to take images. */
	takesImages?: boolean;
	/** True if a user is there to answer the agent's requests for permission. */
	isAttended?: boolean;
	/** The calls for the web that the relay answers. Absent if there are none. */
	web?: readonly WebCall[];
	/** The absolute paths of the agent's own program and of the other programs that it needs, by name. */
	programs: Readonly<Record<string, string>>;
}

/**
 * Returns whether an agent can be configured with a model of this name. Servers choose the names of models: one with
 * invisible characters could not be passed in an environment, or would look like another name.
 */
export function isUsableModel(model: string): boolean {
	return model !== '' && !hasInvisible(model) && model.isWellFormed();
}

/** The installation of an agent on one platform: by `npm ci` from a `package.json` and a `package-lock.json`. */
export interface AgentInstallation {
	/** The agent's own package comes first. Its exact version is that of the installation. */
	manifest: { readonly dependencies: Readonly<Record<string, string>> };
	/**
	 * Returns the lockfile. It has the hash of every package, and no addresses, so that npm asks the user's registry. It
	 * is long, and only needed for an installation.
	 */
	lock(): Promise<object>;
	/** The programs by name, as paths below `node_modules`. */
	programs: Readonly<Record<string, string>>;
	/**
	 * The folder below `node_modules` of the package that differs by platform. Such packages are optional in the
	 * lockfile, so npm skips one that it cannot install.
	 */
	packageOfPlatform?: string;
	/**
	 * The terms of a package that is not free software, as its licence file has them. The user agrees to them before it
	 * is installed from the registry; it is never passed on.
	 */
	terms?: { package: string; text: string };
	downloadMegabytes: number;
	diskMegabytes: number;
}

export function installationVersion({ manifest }: AgentInstallation): string {
	return Object.values(manifest.dependencies)[0] ?? '';
}

/** Errand's knowledge about an agent, wherever its program is. */
export interface AgentDefinition {
	id: string;
	label: string;
	licence?: string;
	/** The name of the agent's program on PATH, or its absolute path. */
	command: string;
	/** Its arguments, which may have the placeholders of `withPlace`. */
	args: readonly string[];
	/** The names of other programs that the agent starts. It cannot run without them. */
	needs: readonly string[];
	/** The oldest Node version that the agent runs with, if it runs with the Node on PATH. */
	nodeVersion?: string;
	/** Undefined for an agent with an account of its own. */
	api: ModelApi | undefined;
	/**
	 * The hosts of an account of the agent's own, which are all that it reaches: there is no relay, and nobody knows what
	 * its work costs or what is retained of it.
	 */
	account?: { hosts: readonly string[] };
	/** The id of the agent whose installation this one shares. */
	installedAs?: string;
	/**
	 * The modes to which a session may be set, the first that the agent offers. Programs of the same name differ in the
	 * names of their modes.
	 */
	modes?: readonly string[];
	/**
	 * The mode in which the agent asks before every file change and every command, whatever the repository says. Other
	 * modes ask for less or never, even if somebody is there to answer.
	 */
	askingMode?: string;
	/** True if the agent tells a cost for every model, also for those whose prices it cannot know. */
	inventsCosts?: boolean;
	/** The instruction files that the agent itself reads, by their paths in its working folder: the first that exists. */
	instructionFiles?: readonly string[];
	/** True if the agent reads all of them, rather than the first. */
	readsAllInstructions?: boolean;
	/** The memory that the agent is known to need. */
	megabytes?: number;
	/** Returns the variables that the agent needs in addition to `baseEnvironment`. */
	environment(place: AgentPlace): Record<string, string>;
	/** Returns the texts of the agent's configuration files, by their paths below its home, with `/`. */
	files(place: AgentPlace): Record<string, string>;
	/** The installations by the names of platforms (`platform.ts`). */
	installations: Readonly<Record<string, AgentInstallation>>;
}

/** The parts of an agent that has none of them. */
export const WITHOUT_PARTS: Pick<AgentDefinition, 'args' | 'needs' | 'files' | 'installations'> = {
	args: [],
	needs: [],
	files: () => ({}),
	installations: {},
};

/** Returns the name of an agent when it works with an account of its own. */
export const accountLabel = (label: string): string => `${label} (own account)`;

export interface FoundAgent {
	definition: AgentDefinition;
	/** `own` means that the agent comes with Errand. */
	source: 'own' | 'settings' | 'path' | 'installed';
	/** The real, absolute paths of its program and of those that it needs, by name. */
	programs: Readonly<Record<string, string>>;
	/** The real, absolute path of its own program. */
	location: string;
	/** The version of the program's package, or undefined if it does not belong to one. */
	version: string | undefined;
}
