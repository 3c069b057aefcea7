/** The languages that are highlighted, with their other names. */
const NAMES = {
	...{ bash: 'sh zsh', c: 'h', cpp: 'c++ cc cxx hpp hh h++', csharp: 'cs c#', css: '', dart: '', diff: 'patch' },
	...{ dockerfile: 'docker', go: 'golang', graphql: 'gql', ini: 'toml', java: 'jsp', json: 'jsonc json5 jsonl' },
	...{ javascript: 'js jsx mjs cjs', kotlin: 'kt kts', less: '', lua: '', makefile: 'make mk mak' },
	...{ markdown: 'md mkd mkdown', perl: 'pl pm', php: '', powershell: 'pwsh ps ps1', python: 'py gyp ipython' },
	...{ r: '', ruby: 'rb gemspec', rust: 'rs', scss: '', shell: 'console shellsession', sql: '', swift: '' },
	...{ typescript: 'ts tsx mts cts', xml: 'html xhtml rss atom svg vue', yaml: 'yml' },
};

export type LanguageName = keyof typeof NAMES;

export const LANGUAGE_NAMES = Object.keys(NAMES) as LanguageName[];

const found = new Map(
	LANGUAGE_NAMES.flatMap(name => [name, ...NAMES[name].split(' ')].map(other => [other, name] as const)),
);
found.delete('' as LanguageName);

/** Returns the language for a name in a fence, or undefined. */
export function languageNamed(name: string): LanguageName | undefined {
	return found.get(name.toLowerCase() as LanguageName);
}
