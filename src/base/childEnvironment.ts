import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a child needs to run at all. Any other variable of this process may be a secret. */
const SAFE_NAMES = [
	'PATH',
	'LANG',
	'LC_CTYPE',
	'TZ',
	'TMPDIR',
	'TEMP',
	'TMP',
	'SystemRoot',
	'SystemDrive',
	'ComSpec',
	'PATHEXT',
	'NUMBER_OF_PROCESSORS',
	'PROCESSOR_ARCHITECTURE',
];

/** Returns the environment of a child process: the safe part of ours and `additions`. Windows ignores case in names. */
export function childEnvironment(environment: Environment, additions: Record<string, string>): Record<string, string> {
	const comparable = (name: string) => (process.platform === 'win32' ? name.toUpperCase() : name);
	const safe = new Set(SAFE_NAMES.map(comparable));
	const result: Record<string, string> = {};
	for (const [name, value] of Object.entries(environment)) {
		if (value !== undefined && safe.has(comparable(name))) {
			result[name] = comparable(name) === 'PATH' ? absoluteFolders(value) : value;
		}
	}
	return { ...result, ...additions };
}

/** Variables by which a program finds its home, its settings and the network, or is made to load other code. */
const DECISIVE_NAMES: ReadonlySet<string> = new Set([
	...SAFE_NAMES.filter(name => !['LANG', 'LC_CTYPE', 'TZ'].includes(name)).map(name => name.toUpperCase()),
	...['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SHELL'],
	...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'],
	...['NODE_OPTIONS', 'NODE_PATH', 'NODE_REPL_EXTERNAL_MODULE', 'ELECTRON_RUN_AS_NODE'],
	...['BASH_ENV', 'ENV', 'BASHOPTS', 'SHELLOPTS', 'IFS', 'PS4', 'PROMPT_COMMAND', 'ZDOTDIR'],
	...['PYTHONPATH', 'PYTHONHOME', 'PYTHONSTARTUP', 'PERL5LIB', 'PERL5OPT', 'PERL5DB', 'RUBYLIB', 'RUBYOPT'],
	...['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS', 'CLASSPATH'],
	...['GCONV_PATH', 'GLIBC_TUNABLES', 'LOCPATH'],
]);
/** The prefixes of further such variables: those of the loader, of git, of the folders for settings, and our own. */
const DECISIVE_BEGINNINGS = ['LD_', 'DYLD_', 'GIT_', 'XDG_', 'ERRAND_', 'BASH_FUNC_'];

/**
 * Returns whether the variable decides where a program finds its files, what it loads or how it reaches the network. A
 * child that runs foreign code must not get such a variable from the user's environment, even if it is asked for by its
 * name.
 */
export function isDecisiveVariable(name: string): boolean {
	const comparable = name.toUpperCase();
	return DECISIVE_NAMES.has(comparable) || DECISIVE_BEGINNINGS.some(beginning => comparable.startsWith(beginning));
}

/** Removes empty and relative entries: they stand for the folder that the child runs in, which may be a repository. */
function absoluteFolders(list: string): string {
	return list
		.split(path.delimiter)
		.filter(folder => path.isAbsolute(folder))
		.join(path.delimiter);
}
