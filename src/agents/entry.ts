import type { AGENT_PROBLEMS, MODEL_APIS } from '../contract/agents.ts';

export type ModelApi = (typeof MODEL_APIS)[number];
export type AgentProblem = (typeof AGENT_PROBLEMS)[number];

/** What an agent is told about the run that it is started for. All paths are those that the agent sees. */
export interface AgentPlace {
	/** A folder of the run's own, which is the agent's home. */
	home: string;
	/** The folders of programs, joined as in `PATH`. */
	path: string;
	/** The relay's address, without a path and without a trailing slash. */
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

/** A package of the npm registry at one version, with the hash (`sha512-…`) that its archive must have. */
export interface PinnedPackage {
	name: string;
	/** Its folder below `node_modules`. `nameInFolder` of it is its name or an alias. */
	folder: string;
	version: string;
	integrity: string;
	/** The folders of the packages that it requires. */
	requires: readonly string[];
}

/**
 * Returns the name by which a package is required that lies in this folder below `node_modules`. Such a folder can be in
 * the `node_modules` of another package, where that one needs another version than the others.
 */
export function nameInFolder(folder: string): string {
	return folder.split('/node_modules/').at(-1) ?? folder;
}

/** Returns the package of a row: its folder, version and hash, and the folders of those that it requires, with blanks between. */
export function pinned(row: string): PinnedPackage {
	const [folder = '', version = '', hash, ...requires] = row.split(' ');
	return { name: nameInFolder(folder), folder, version, integrity: `sha512-${hash}`, requires };
}

/** How an agent is installed on one platform. */
export interface AgentInstallation {
	/** The first one is the agent's own, and its version that of the installation. */
	packages: readonly [PinnedPackage, ...PinnedPackage[]];
	/** Further ones that only these require. They are a long list, which nobody but an installation needs. */
	dependencies?(): Promise<readonly PinnedPackage[]>;
	/** The programs by their names, as paths below `node_modules`. */
	programs: Readonly<Record<string, string>>;
	downloadMegabytes: number;
	diskMegabytes: number;
}

/** Returns the packages that no other one requires. */
export function rootPackages({ packages }: AgentInstallation): PinnedPackage[] {
	const required = new Set(packages.flatMap(({ requires }) => requires));
	return packages.filter(({ folder }) => !required.has(folder));
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
