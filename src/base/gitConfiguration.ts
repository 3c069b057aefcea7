// The settings, arguments and variables with which Errand runs git in the editor and in the service, so that nothing in
// a repository's configuration makes git run a program, use the network or write. Names from such a configuration are
// hostile text: they go to git through the environment, never through a command line.

/**
 * The settings of every call. They override those of any repository, and each closes a way for a repository to make git
 * run a program: hooks, the file system monitor, the listing of alternates, pager, editor, signatures, transports,
 * submodules, background maintenance.
 */
const SAFE_SETTINGS: readonly string[] = [
	'core.hooksPath=/dev/null',
	'core.fsmonitor=false',
	'core.alternateRefsCommand=true',
	'core.pager=cat',
	'core.editor=true',
	'log.showSignature=false',
	'commit.gpgSign=false',
	'push.gpgSign=false',
	'tag.gpgSign=false',
	'protocol.ext.allow=never',
	'submodule.recurse=false',
	'fetch.recurseSubmodules=false',
	'push.recurseSubmodules=no',
	'gc.auto=0',
	'maintenance.auto=false',
	'receive.autogc=false',
	// Otherwise a comparison rewrites the user's index.
	'diff.autoRefreshIndex=false',
];

const settingOptions = (settings: readonly string[]) => settings.flatMap(setting => ['-c', setting]);

/** Returns the arguments that begin every call of git. `further` are the caller's settings as `key=value`. */
export function safeArguments(further: readonly string[] = []): string[] {
	return ['--no-pager', '--no-replace-objects', ...settingOptions([...SAFE_SETTINGS, ...further])];
}

/**
 * The variables of every call of git. `protocols` are the transports that git may use, separated by colons. `ext`,
 * which runs a program named by the address, is never among them. Objects that a partial clone lacks stay missing,
 * because the repository itself names the place, and a program, to fetch them from.
 */
export function safeEnvironment(protocols: 'none' | 'file' | 'git:http:https:ssh'): Record<string, string> {
	return {
		GIT_ALLOW_PROTOCOL: protocols,
		GIT_NO_LAZY_FETCH: '1',
		GIT_OPTIONAL_LOCKS: '0',
		GIT_TERMINAL_PROMPT: '0',
		LC_ALL: 'C',
	};
}

/** The way to run git in the other repository of a fetch or a push, whose own configuration applies there. */
export interface OtherSide {
	/** The option for `ls-remote`, `fetch` or `push`. */
	option: string;
	/** The variables for the git that is given the option. */
	env: Record<string, string>;
}

/**
 * Makes git run `program` in the other repository with the safe settings, with `hooks` switched off (`withoutHooks`),
 * and without a transport of its own. git removes the settings of its caller from that environment, so they are given
 * again in a command that is the same for every repository. `gitPath` goes through the environment too.
 */
export function otherSide(
	program: 'upload-pack' | 'receive-pack',
	gitPath: string,
	hooks: readonly Setting[],
	further: readonly string[] = [],
): OtherSide {
	const variables = `GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_CONFIG_COUNT=${hooks.length}`;
	const settings = settingOptions([...SAFE_SETTINGS, ...further]).join(' ');
	return {
		option: `--${program}=${variables} "$ERRAND_GIT" ${settings} ${program}`,
		env: { ...settingsEnvironment(hooks), ERRAND_GIT: gitPath },
	};
}

export interface FoundSetting {
	/** `local` and `worktree` are the repository's own files and those that they include. */
	scope: string;
	/** The path of the file as git names it. */
	file: string;
	/** Section and variable are in lower case; the name between them is spelled as in the file. */
	key: string;
	value: string;
}

/** A section whose settings contain the name of a hook, a filter, a merge driver or a remote. */
export type NamedSection = 'hook' | 'filter' | 'merge' | 'remote';

export type Setting = readonly [key: string, value: string];

/** Is part of every listing: a git that does not list it is too old to take settings from its environment. */
const PROOF: Setting = ['errand.environment', 'read'];

/** Makes git list the settings by which it would run a program for Errand. `readSettings` parses the output. */
export const LIST_SETTINGS = {
	args: [
		'config',
		'--null',
		'--show-scope',
		'--show-origin',
		'--includes',
		'--get-regexp',
		'^(hook|extensions\\.partialclone|filter|merge\\..*\\.driver|lfs\\.extension|credential|remote|core\\.(sshcommand|gitproxy|askpass)|errand\\.environment)(\\.|$)',
	],
	env: settingsEnvironment([PROOF]),
} as const;

/** The exit codes of a git older than 2.31: it does not find even our own setting, or does not know an option. */
export const TOO_OLD: ReadonlySet<number | undefined> = new Set([1, 129]);

/** The characters that a name may contain, so that no program can mistake it for anything else. */
const SAFE_NAME = /^[\w.-]+$/;

/** Parses the output of `LIST_SETTINGS`. Returns undefined if git is too old to take settings from the environment. */
export function readSettings(output: string): FoundSetting[] | undefined {
	const fields = output.split('\0');
	const found: FoundSetting[] = [];
	for (let index = 0; index + 2 < fields.length; index += 3) {
		const [scope = '', origin = '', entry = ''] = fields.slice(index, index + 3);
		const end = entry.indexOf('\n');
		// A variable without `=` in the file has no line with a value.
		const [key, value] = end === -1 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
		found.push({ scope, file: origin.replace(/^file:/, ''), key, value });
	}
	return found.some(({ key }) => key === PROOF[0]) ? found : undefined;
}

/** Returns the variables that give git these settings, which override those of any file. */
export function settingsEnvironment(settings: readonly Setting[]): Record<string, string> {
	return Object.fromEntries([
		['GIT_CONFIG_COUNT', String(settings.length)],
		...settings.flatMap(([key, value], index) => [
			[`GIT_CONFIG_KEY_${index}`, key],
			[`GIT_CONFIG_VALUE_${index}`, value],
		]),
	]);
}

/** Finds a hook or a filter of the repository's own with an unsafe name. Such a repository is refused. */
export function findUnsafeName(
	found: readonly FoundSetting[],
	section: NamedSection,
): (FoundSetting & { name: string }) | undefined {
	for (const setting of found) {
		const name = nameIn(setting, section);
		if (isOfRepository(setting) && name !== undefined && !SAFE_NAME.test(name)) {
			return { ...setting, name };
		}
	}
	return undefined;
}

/** Returns the settings that disable every hook that any configuration names. */
export function withoutHooks(found: readonly FoundSetting[]): Setting[] {
	return namesIn(found, 'hook').map(name => [`hook.${name}.enabled`, 'false']);
}

/** Returns the names of all filters of any configuration. */
export function filtersOf(found: readonly FoundSetting[]): string[] {
	return namesIn(found, 'filter');
}

/**
 * Returns the settings that empty filters, so that none of their programs runs. With `required`, git fails on a file
 * that needs one of them instead of taking its content unfiltered.
 */
export function emptyFilters(names: readonly string[], required: boolean): Setting[] {
	return names.flatMap(name => [
		[`filter.${name}.clean`, ''],
		[`filter.${name}.smudge`, ''],
		[`filter.${name}.process`, ''],
		[`filter.${name}.required`, String(required)],
	]);
}

/** Merges lines as git does without a driver. Content other than text is a conflict and stays unchanged. */
const TEXT_MERGE = 'git merge-file -q --marker-size=%L -L HEAD -L base -L theirs %A %O %B || exit 1';

/**
 * Returns the settings that replace the merge drivers of the repository's own configuration with git's own text merge.
 * An empty driver would silently keep one of the two sides.
 */
export function plainMergeDrivers(found: readonly FoundSetting[]): Setting[] {
	return namesIn(found.filter(isOfRepository), 'merge').map(name => [`merge.${name}.driver`, TEXT_MERGE]);
}

/** The variables of a filter that name the programs for staging files and for checking them out. */
export const STAGING = ['clean', 'process'] as const;
export const CHECKING_OUT = ['smudge', 'process'] as const;

/** A filter with a program that the repository's own configuration names. */
export interface OwnFilter {
	name: string;
	setting: FoundSetting;
}

export function ownFiltersOf(
	found: readonly FoundSetting[],
	programs: typeof STAGING | typeof CHECKING_OUT,
): OwnFilter[] {
	return found.filter(isOfRepository).flatMap(setting => {
		if (setting.key.startsWith('filter.') && programs.some(program => setting.key.endsWith(`.${program}`))) {
			return { name: nameIn(setting, 'filter') ?? '', setting };
		}
		// The filter of Git LFS runs these programs too, whichever configuration names it.
		return /^lfs\.extension\..*\.(?:clean|smudge)$/s.test(setting.key) ? { name: 'lfs', setting } : [];
	});
}

/** Finds a program that the repository's own configuration names for the connection to a remote. */
export function findTransportProgram(found: readonly FoundSetting[], remote: string): FoundSetting | undefined {
	return found.find(
		setting =>
			isOfRepository(setting) &&
			setting.value !== '' &&
			(/^core\.|^credential\.(?:.*\.)?helper$/s.test(setting.key) ||
				setting.key === `remote.${remote}.uploadpack` ||
				setting.key === `remote.${remote}.receivepack`),
	);
}

/** Returns the names of the remotes that hold the objects a partial clone lacks; none for a complete clone. */
export function promisorRemotes(found: readonly FoundSetting[]): string[] {
	const isPromise = ({ key, value }: FoundSetting) =>
		key.endsWith('.partialclonefilter') || (key.endsWith('.promisor') && !/^(?:false|no|off|0)$/i.test(value));
	// Older versions had this setting, which names a single remote.
	const first = found.filter(({ key }) => key === 'extensions.partialclone').map(({ value }) => value);
	return [...new Set([...first, ...namesIn(found.filter(isPromise), 'remote')])];
}

/** True for the scopes `local` and `worktree`, and for any further scope of a later git. */
function isOfRepository({ scope }: FoundSetting): boolean {
	return scope !== 'system' && scope !== 'global' && scope !== 'command';
}

function namesIn(found: readonly FoundSetting[], section: NamedSection): string[] {
	const names = found.map(setting => nameIn(setting, section));
	return [...new Set(names.filter(name => name !== undefined))];
}

/** Returns the name in `<section>.<name>.<variable>`. */
function nameIn({ key }: FoundSetting, section: NamedSection): string | undefined {
	const end = key.lastIndexOf('.');
	return key.startsWith(`${section}.`) && end > section.length ? key.slice(section.length + 1, end) : undefined;
}
