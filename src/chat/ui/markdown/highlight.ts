// highlight.js with the languages that replies are written in. A chunk of its own, loaded with the first code block.
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dart from 'highlight.js/lib/languages/dart';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import less from 'highlight.js/lib/languages/less';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import perl from 'highlight.js/lib/languages/perl';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = {
	...{ bash, c, cpp, csharp, css, dart, diff, dockerfile, go, graphql, ini, java, javascript, json, kotlin, less, lua },
	...{
		makefile,
		markdown,
		perl,
		php,
		powershell,
		python,
		r,
		ruby,
		rust,
		scss,
		shell,
		sql,
		swift,
		typescript,
		xml,
		yaml,
	},
};

type LanguageName = keyof typeof languages;

/** What else a language is called. A grammar knows it too, but making all the grammars to ask them takes too long. */
const OTHER_NAMES: Record<LanguageName, string> = {
	...{ bash: 'sh zsh', c: 'h', cpp: 'c++ cc cxx hpp hh h++', csharp: 'cs c#', css: '', dart: '', diff: 'patch' },
	...{ dockerfile: 'docker', go: 'golang', graphql: 'gql', ini: 'toml', java: 'jsp', json: 'jsonc json5 jsonl' },
	...{ javascript: 'js jsx mjs cjs', kotlin: 'kt kts', less: '', lua: '', makefile: 'make mk mak' },
	...{ markdown: 'md mkd mkdown', perl: 'pl pm', php: '', powershell: 'pwsh ps ps1', python: 'py gyp ipython' },
	...{ r: '', ruby: 'rb gemspec', rust: 'rs', scss: '', shell: 'console shellsession', sql: '', swift: '' },
	...{ typescript: 'ts tsx mts cts', xml: 'html xhtml rss atom svg vue', yaml: 'yml' },
};

const names = new Map<string, LanguageName>();
for (const name of Object.keys(languages) as LanguageName[]) {
	for (const other of [name, ...OTHER_NAMES[name].split(' ').filter(word => word !== '')]) {
		names.set(other, name);
	}
}

/** The name to highlight with, ready for use, or undefined. */
export function findLanguage(name: string): LanguageName | undefined {
	const found = names.get(name.toLowerCase());
	if (found && !core.getLanguage(found)) {
		core.registerLanguage(found, languages[found]);
	}
	return found;
}

/** HTML of nothing but text and `<span class="…">`. */
export function highlight(code: string, language: LanguageName): string {
	return core.highlight(code, { language, ignoreIllegals: true }).value;
}
