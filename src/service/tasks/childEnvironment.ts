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
	const result: Record<string, string> = {};
	const safe = new Set(SAFE_NAMES.map(name => name.toUpperCase()));
	for (const [name, value] of Object.entries(environment)) {
		const comparable = process.platform === 'win32' ? name.toUpperCase() : name;
		if (value !== undefined && (process.platform === 'win32' ? safe.has(comparable) : SAFE_NAMES.includes(name))) {
			result[name] = value;
		}
	}
	for (const name of Object.keys(result).filter(candidate => candidate.toUpperCase() === 'PATH')) {
		result[name] = absoluteFolders(result[name] ?? '');
	}
	return { ...result, ...additions };
}

/** Removes empty and relative entries: they stand for the folder that the child runs in, which may be a repository. */
function absoluteFolders(list: string): string {
	return list
		.split(path.delimiter)
		.filter(folder => path.isAbsolute(folder))
		.join(path.delimiter);
}
